// Reads the accounts from their sources: the environment variable AZURITE_ACCOUNTS, and a file that is read
// again when it changes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/access/accounts.h"

namespace rocktable {

// Identifies the state of a file. Differs after a write, and after the file was replaced by another one.
struct FileVersion {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, modified = 0, changed = 0;  // bytes; nanoseconds

  bool operator==(const FileVersion&) const = default;
};

class AccountSources {
 public:
  // `file`: path of the accounts file; empty: none.
  explicit AccountSources(std::string file) : file_(std::move(file)) {}
  AccountSources(const AccountSources&) = delete;
  AccountSources& operator=(const AccountSources&) = delete;

  // Returns the accounts of both sources, those of the environment first. If both name an account, the keys
  // of the file count. Returns devstoreaccount1 with its well-known key if there is no source; a blank
  // variable is no source. Throws AccountsError.
  std::vector<Account> read();

  // Starts a thread that watches the file until this object is destroyed. Within a second of a change it
  // reads both sources again and replaces `accounts`. If reading fails, it logs the error once and leaves the
  // accounts unchanged.
  void watch(const Accounts& accounts);

 private:
  void poll(const std::stop_token& stop, Accounts accounts);
  bool is_due();
  void refresh(Accounts& accounts);

  std::string file_;
  std::optional<FileVersion> read_;  // version read last; nullopt: there was no such file
  std::optional<FileVersion> seen_;  // version at the last poll
  int polls_since_change_ = 0;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread watcher_;  // last member: must be destroyed before the others
};

}  // namespace rocktable
