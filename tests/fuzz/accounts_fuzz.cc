// Any bytes as the text of accounts (from a variable or a file): an error that shows no key, or accounts that
// are unchanged after writing and reading.
#include <set>

#include "base/base64.h"
#include "server/access/accounts.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxName = 24;

// Checks that the error contains no part of the input that is longer than a name, because that could be a
// key.
void check_complaint(std::string_view sentence, std::string_view input) {
  require(sentence.starts_with("the file") && sentence.size() < 300, "a complaint about something else");
  for (std::size_t at = 0; at + kMaxName < input.size(); ++at) {
    const auto piece = input.substr(at, kMaxName + 1);
    const bool is_word = std::all_of(piece.begin(), piece.end(), [](unsigned char c) { return c > ' '; });
    require(!is_word || sentence.find(piece) == sentence.npos, "a complaint shows what may be a key");
  }
}

std::string written(const std::vector<Account>& accounts, const char* separator) {
  std::string out;
  for (const auto& [name, keys] : accounts) {
    out += (out.empty() ? "" : separator) + name;
    for (const auto& key : keys) out += ":" + key;
  }
  return out;
}

std::vector<Account> read(std::string_view input) {
  try {
    return parse_accounts(input, "the file");
  } catch (const AccountsError& error) {
    check_complaint(error.what(), input);
    return {};
  }
}

}  // namespace

void fuzz_accounts(std::string_view input) {
  const auto accounts = read(input);
  if (accounts.empty()) return;
  std::set<std::string> names;
  for (const auto& [name, keys] : accounts) {
    require(is_account_name(name) && names.insert(name).second, "a name that is none, or twice");
    require(!keys.empty() && keys.size() <= 2, "an account without keys, or with too many");
    for (const auto& key : keys) AccountKey(key).sign("text");
  }
  for (const char* separator : {";", "\n", " ; \r\n # a comment\n"})
    require(read(written(accounts, separator)) == accounts, "accounts change when written and read");
}

}  // namespace rocktable
