#include "server/access/account_sources.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/platform/file.h"
#include "odata/protocol/development_account.h"

namespace rocktable {
namespace {

constexpr const char* kVariable = "AZURITE_ACCOUNTS";
constexpr std::size_t kMaxFileBytes = 16 << 20;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw AccountsError("cannot read the accounts file " + path + ": " + why);
}

std::string read_accounts_file(const std::string& path) {
  const auto reason = [] { return std::generic_category().message(errno); };
  const File file = File::open(path, OpenMode::Read);
  const auto status = file.status();
  if (!status) fail(path, reason());
  if (status->kind != FileStatus::Kind::Regular) fail(path, "it is not a regular file");
  std::string out;
  std::array<char, 65536> bytes;
  for (;;) {
    const auto count = file.read(bytes.data(), bytes.size());
    if (!count) fail(path, reason());
    if (*count == 0) return out;
    out.append(bytes.data(), *count);
    if (out.size() > kMaxFileBytes) fail(path, "it is larger than 16 MiB");
  }
}

// Returns no accounts if the variable is not set or blank. Compose files pass an unset variable as an empty
// one.
std::vector<Account> read_environment() {
  const char* text = std::getenv(kVariable);
  if (text == nullptr || std::string_view(text).find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  return parse_accounts(text, kVariable);
}

}  // namespace

std::vector<Account> AccountSources::read() {
  std::vector<Account> out = read_environment();
  if (!file_.empty()) {
    watcher_.begin();
    watcher_.note(file_);
    for (auto& account : parse_accounts(read_accounts_file(file_), "the accounts file " + file_)) {
      const auto same = std::find_if(out.begin(), out.end(), [&](const Account& a) { return a.name == account.name; });
      if (same == out.end()) {
        out.push_back(std::move(account));
      } else {
        *same = std::move(account);
      }
    }
  }
  if (out.empty()) out.push_back({std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}});
  return out;
}

void AccountSources::watch(const Accounts& accounts) {
  // The environment of a running process does not change.
  watcher_.watch([this, accounts = Accounts(accounts)]() mutable { refresh(accounts); });
}

void AccountSources::refresh(Accounts& accounts) {
  try {
    auto named = read();
    const std::size_t count = named.size();
    accounts.replace(std::move(named));
    spdlog::info("the accounts file {} has changed; it was read again; number of accounts: {}", file_, count);
  } catch (const std::exception& error) {
    spdlog::error("{}; the accounts are unchanged", error.what());
  }
}

}  // namespace rocktable
