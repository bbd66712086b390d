// The whole server in memory, in this process, on a free port: for tests of what talks to it.
#pragma once

#include <string>
#include <thread>

#include "odata/protocol/development_account.h"
#include "server/access/accounts.h"
#include "server/emulator.h"
#include "server/events/access_log.h"
#include "server/http/server.h"
#include "tests/unit/support/opened_store.h"

namespace rocktable {

class RunningServer {
 public:
  RunningServer() : thread_([this] { server_.run(emulator_.service(), log_); }) {}
  ~RunningServer() {
    server_.stop();
    thread_.join();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  OpenedStore& store() { return store_; }

  std::string connection_string() const {
    const std::string account(kDevelopmentAccount);
    return "AccountName=" + account + ";AccountKey=" + std::string(kDevelopmentKey) +
           ";TableEndpoint=http://127.0.0.1:" + std::to_string(server_.port()) + "/" + account;
  }

 private:
  static ServerOptions on_a_free_port() {
    ServerOptions options;
    options.listen = {{StorageService::Table, "127.0.0.1", 0}};
    return options;
  }

  OpenedStore store_{StoreOptions{{}, true, false}};
  Emulator emulator_{store_, Accounts({{std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}}})};
  AccessLog log_{true, ""};
  Server server_{on_a_free_port()};
  std::thread thread_;
};

}  // namespace rocktable
