#include "server/access/accounts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

#include "base/base64.h"
#include "base/threads/mutex.h"
#include "base/threads/thread_copy.h"
#include "odata/protocol/development_account.h"

namespace rocktable {

// --- Text -----------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kMaxKeys = 2;

std::string_view without_blanks(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r");
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r") + 1 - start);
}

// Removes the text up to `separator` from the front of `text` and returns it.
std::string_view take(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

bool is_key(std::string_view text) {
  const auto bytes = decode_base64(text);
  return bytes && !bytes->empty();
}

// `where` is the start of the error message. The message does not repeat an invalid account name: it may be a
// key in the wrong place.
Account parse_entry(std::string_view entry, const std::string& where) {
  if (entry.find(':') == entry.npos) throw AccountsError(where + "an account must have the form NAME:KEY[:KEY]");
  Account out{std::string(without_blanks(take(entry, ':'))), {}};
  if (!is_account_name(out.name))
    throw AccountsError(where + "an account name must have 3 to 24 lower-case letters and digits");
  for (bool more = true; more;) {
    more = entry.find(':') != entry.npos;
    out.keys.emplace_back(without_blanks(take(entry, ':')));
    if (out.keys.size() > kMaxKeys) throw AccountsError(where + "account " + out.name + " has more than two keys");
    if (out.keys.back().empty()) throw AccountsError(where + "a key of account " + out.name + " is empty");
    if (!is_key(out.keys.back())) throw AccountsError(where + "a key of account " + out.name + " is not base64");
  }
  return out;
}

}  // namespace

std::vector<Account> parse_accounts(std::string_view text, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<Account> out;
  std::set<std::string, std::less<>> names;
  for (int line_number = 1; !text.empty(); ++line_number) {
    std::string_view line = take(text, '\n');
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      const auto entry = without_blanks(take(line, ';'));
      if (entry.empty()) continue;
      const std::string where =
          source + ", line " + std::to_string(line_number) + ", account " + std::to_string(out.size() + 1) + ": ";
      out.push_back(parse_entry(entry, where));
      if (!names.insert(out.back().name).second)
        throw AccountsError(where + "account " + out.back().name + " is repeated");
    }
  }
  if (out.empty()) throw AccountsError(source + " names no account");
  return out;
}

// --- The set --------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kMaxCachedKeys = 1000;

using KeysByName = std::map<std::string, std::vector<std::string>, std::less<>>;

// A version identifies what a thread has cached.
struct ThreadView {
  std::uint64_t version = 0;
  std::shared_ptr<const KeysByName> named;
  std::unordered_map<std::string, AccountKey> cached_keys;
};

ThreadView& view_of_this_thread() {
  thread_local ThreadView view;
  return view;
}

}  // namespace

struct Accounts::State {
  bool any = false;
  Version version;  // of `named`
  Mutex mutex;      // guards `named`
  std::shared_ptr<const KeysByName> named;
};

Accounts::Accounts(std::vector<Account> named, bool any) : state_(std::make_shared<State>()) {
  state_->any = any;
  replace(std::move(named));
}

void Accounts::replace(std::vector<Account> named) {
  auto next = std::make_shared<KeysByName>();
  for (auto& account : named) next->insert_or_assign(std::move(account.name), std::move(account.keys));
  const std::lock_guard lock(state_->mutex);
  state_->named = std::move(next);
  state_->version.change();
}

const std::vector<std::string>* Accounts::keys_of(std::string_view name) const {
  static const std::vector<std::string> kWellKnown{std::string(kDevelopmentKey)};
  ThreadView& view = view_of_this_thread();
  if (view.version != state_->version.current()) {
    const std::lock_guard lock(state_->mutex);
    view.named = state_->named;
    view.version = state_->version.current();
    view.cached_keys.clear();
  }
  if (const auto found = view.named->find(name); found != view.named->end()) return &found->second;
  return state_->any && is_account_name(name) ? &kWellKnown : nullptr;
}

bool Accounts::has_public_key(std::string_view name) const {
  const auto* keys = keys_of(name);
  return keys != nullptr && std::find(keys->begin(), keys->end(), kDevelopmentKey) != keys->end();
}

std::vector<std::string> Accounts::names() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> out;
  for (const auto& [name, keys] : *state_->named) out.push_back(name);
  std::sort(out.begin(), out.end());
  return out;
}

const AccountKey& cached_key(const std::string& base64) {
  auto& keys = view_of_this_thread().cached_keys;
  auto found = keys.find(base64);
  if (found != keys.end()) return found->second;
  if (keys.size() >= kMaxCachedKeys) keys.clear();
  return keys.emplace(base64, AccountKey(base64)).first->second;
}

}  // namespace rocktable
