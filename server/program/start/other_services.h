// Who serves blobs and queues beside the tables, as the options say: nobody, the stubs of an empty account, Azurite,
// or a relay to another emulator.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "server/http/server.h"
#include "server/program/beside/azurite.h"
#include "server/program/beside/relay.h"
#include "server/program/options/options.h"
#include "server/program/start/startup_report.h"
#include "server/tls/openssl.h"

namespace rocktable {

// Where the server itself listens for them: its stubs.
std::vector<ListenAddress> stubs_of(const Options& options);

class OtherServices {
 public:
  // Starts programs and relays. `identity`: of HTTPS; with plain HTTP its members are null. Throws CompanionError,
  // ServerError, TlsError and std::system_error.
  OtherServices(const Options& options, const std::vector<Account>& accounts, const Identity& identity);

  // Waits until they answer, and adds their addresses. `must_stop` returns true to end the wait. Throws
  // CompanionError.
  void add_to(StartupReport& report, const std::function<bool()>& must_stop);

 private:
  struct Relayed {
    std::unique_ptr<Relay> relay;
    std::string upstream;  // its URL
    std::string host;      // as the option of the port says
  };

  static Relayed relay_of(StorageService service, const Options& options);

  std::unique_ptr<Azurite> azurite_;
  Relayed blob_, queue_;
};

}  // namespace rocktable
