// Azurite's blob and queue services, as two companions of the table service: the same accounts, keys and certificate.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/platform/companions.h"
#include "server/access/accounts.h"

namespace rocktable {

// A companion cannot start. The message is a sentence for the user.
class CompanionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct AzuriteService {
  const char* name;         // blob, queue
  std::string host;         // to listen on; empty: 127.0.0.1
  std::uint16_t port;       // 0: a free one
  std::string advice = {};  // if the port is taken; empty: use port 0
};

struct AzuriteOptions {
  std::array<AzuriteService, 2> services;
  std::vector<Account> accounts;  // at least one
  std::string folder;             // for their data; empty: in memory
  std::string certificates, key;  // PEM; empty: HTTP
  bool bearer_tokens = false;
};

// Where a service answers.
struct AzuriteAddress {
  std::string host;  // as in URLs: `127.0.0.1`, `[::1]`
  std::uint16_t port = 0;
};

// Returns the program `azurite-NAME`: in node_modules/.bin of `folder` or its nearest parent that has it, or else in
// the folders of `path`, which is as PATH. Returns nullopt if there is none.
std::optional<std::filesystem::path> find_azurite(const std::string& name, std::filesystem::path folder,
                                                  const std::string& path);

// Returns the address in the line that a service of Azurite prints when it listens; nullopt if the text has no such
// line yet.
std::optional<AzuriteAddress> azurite_address(const std::string& printed);

class Azurite {
 public:
  // Starts both programs, and creates the folder. Call it in the main thread (see Companion). Throws CompanionError if
  // Azurite is not installed, and std::system_error.
  explicit Azurite(const AzuriteOptions& options);
  // Asks both to stop, and kills them after five seconds.
  ~Azurite();
  Azurite(const Azurite&) = delete;
  Azurite& operator=(const Azurite&) = delete;

  // Waits until both answer, at most a minute. From then on threads tell on standard error if one ends. Throws
  // CompanionError if one cannot start, or `must_stop` returns true.
  void await_ready(const std::function<bool()>& must_stop);

  // Valid after await_ready(). `place`: 0 blob, 1 queue.
  const AzuriteAddress& address(std::size_t place) const { return running_.at(place).address; }

 private:
  struct Running {
    AzuriteService service;
    std::unique_ptr<Companion> companion;
    std::string printed = {};  // the end of it
    AzuriteAddress address = {};
    std::thread watcher = {};
  };

  [[noreturn]] static void fail_to_start(Running& running);
  static void watch(Running& running);

  std::vector<PrivateFile> files_;  // until both have read them
  std::vector<Running> running_;
};

}  // namespace rocktable
