// Where accounts are named: the environment variable AZURITE_ACCOUNTS, and a file that is read again when it
// changes.
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

// Tells one state of a file from another, whether it was written to or replaced.
struct FileStamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, modified = 0, changed = 0;  // bytes; nanoseconds

  bool operator==(const FileStamp&) const = default;
};

class AccountSources {
 public:
  // `file` may be empty: none.
  explicit AccountSources(std::string file) : file_(std::move(file)) {}
  AccountSources(const AccountSources&) = delete;
  AccountSources& operator=(const AccountSources&) = delete;

  // The accounts of both, the environment's first; where both name one, the keys of the file.
  // devstoreaccount1 with its well-known key where neither is given: a blank variable counts as none. Throws
  // AccountsError.
  std::vector<Account> read();

  // From now on, and as long as this lives, sets `accounts` to what both say within a second of a change of
  // the file. What cannot be read is logged once, and the accounts stay as they were.
  void watch(const Accounts& accounts);

 private:
  void poll(const std::stop_token& stop, Accounts accounts);
  bool is_due();
  void refresh(Accounts& accounts);

  std::string file_;
  std::optional<FileStamp> read_;  // of what was read last; nothing: there was no such file
  std::optional<FileStamp> seen_;  // at the last look
  int looks_since_change_ = 0;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread watcher_;  // the last member: it ends before the others do
};

}  // namespace rocktable
