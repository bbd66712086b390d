// The accounts of this emulator and their keys: their text form, and the set that requests look them up in.
#pragma once

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "odata/protocol/shared_key.h"

namespace rocktable {

// The account that every emulator has, and its public key.
inline constexpr std::string_view kDevelopmentAccount = "devstoreaccount1";
inline constexpr std::string_view kDevelopmentKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

struct Account {
  std::string name;
  std::vector<std::string> keys;  // base64, one or two

  bool operator==(const Account&) const = default;
};

// Accounts that cannot be read: a sentence for the user, without any key.
class AccountsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// 3 to 24 lower-case letters and digits.
// Source: learn.microsoft.com/azure/storage/common/storage-account-overview#storage-account-name
bool is_account_name(std::string_view text);

// Accounts in the order of their naming. `source` is what the text is called in an error.
//
//   accounts := entry ((";" | line end) entry)*
//   entry    := "" | name ":" key [":" key]
//
// Blanks may stand around each part; "#" begins a comment that ends with its line.
//
// Throws AccountsError: a bad name, a key that is empty or not base64, a name twice, no account at all.
std::vector<Account> parse_accounts(std::string_view text, const std::string& source);

// The accounts that there are. A copy is the same set. Thread-safe, and looking one up takes no lock and
// writes nothing that threads share: each has its own hold on what was set last.
class Accounts {
 public:
  // With `any` each well-formed name that is not among `named` is an account, too, with the well-known key;
  // it takes no memory.
  explicit Accounts(std::vector<Account> named, bool any = false);
  Accounts(std::initializer_list<Account> named) : Accounts(std::vector<Account>(named)) {}

  // From now on these, for requests that begin after the call.
  void replace(std::vector<Account> named);

  // The keys of an account, null where there is none of that name. Valid until this thread asks again, of any
  // set.
  const std::vector<std::string>* keys_of(std::string_view name) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// A key ready to sign, for this thread: setting it up costs as much as three signatures. `base64` must be a
// key. The referent is valid until this thread asks for a key, or for an account, again. Keys in use are
// kept, up to a thousand; all are dropped with the first look-up after accounts have changed.
const AccountKey& key_of_this_thread(const std::string& base64);

}  // namespace rocktable
