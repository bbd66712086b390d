// The accounts of the emulator and their keys: the text form, and the set in which requests look them up.
#pragma once

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "odata/protocol/account_name.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {

struct Account {
  std::string name;
  std::vector<std::string> keys;  // base64, one or two

  bool operator==(const Account&) const = default;
};

// Accounts cannot be read. The message is for the user and contains no key.
class AccountsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the accounts in the order of the text. `source` names the text in error messages.
//
//   accounts := entry ((";" | line end) entry)*
//   entry    := "" | name ":" key [":" key]
//
// Blanks around each part are ignored. "#" starts a comment up to the end of the line.
//
// Throws AccountsError: an invalid name, a key that is empty or not base64, a repeated name, no account.
std::vector<Account> parse_accounts(std::string_view text, const std::string& source);

// The set of accounts. A copy refers to the same set. Thread-safe. A look-up takes no lock and writes no
// shared memory: each thread keeps its own reference to the current set.
class Accounts {
 public:
  // With `any`, each valid name that is not in `named` is also an account, with the well-known key. Such
  // accounts take no memory.
  explicit Accounts(std::vector<Account> named, bool any = false);
  Accounts(std::initializer_list<Account> named) : Accounts(std::vector<Account>(named)) {}

  // Replaces the accounts, for requests that start after the call.
  void replace(std::vector<Account> named);

  // Returns the keys of an account, null if there is no such account. The pointer is valid until this thread
  // calls keys_of() again, on any set.
  const std::vector<std::string>* keys_of(std::string_view name) const;

  // Returns whether the account has the well-known key.
  bool has_public_key(std::string_view name) const;

  // The named accounts, in the order of their names.
  std::vector<std::string> names() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Returns a key prepared for signing, from the cache of this thread: the preparation costs more than a
// signature. `base64` must be a key. The reference is valid until this thread calls cached_key() or
// keys_of() again. The cache holds up to a thousand keys. The first look-up after a change of the accounts
// clears it.
const AccountKey& cached_key(const std::string& base64);

}  // namespace rocktable
