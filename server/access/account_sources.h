// Reads the accounts from their sources: the environment variable AZURITE_ACCOUNTS, and a file that is read
// again when it changes.
#pragma once

#include <string>
#include <vector>

#include "server/access/accounts.h"
#include "server/access/file_watcher.h"

namespace rocktable {

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
  void refresh(Accounts& accounts);

  std::string file_;
  FileWatcher watcher_;  // last member: its thread uses the others
};

}  // namespace rocktable
