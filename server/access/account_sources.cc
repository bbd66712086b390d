#include "server/access/account_sources.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "odata/protocol/development_account.h"

namespace rocktable {
namespace {

constexpr const char* kVariable = "AZURITE_ACCOUNTS";
constexpr std::size_t kMaxFileBytes = 16 << 20;

class Descriptor {
 public:
  // O_NONBLOCK: a named pipe must not block until a writer opens it.
  explicit Descriptor(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw AccountsError("cannot read the accounts file " + path + ": " + why);
}

std::string read_accounts_file(const std::string& path) {
  const auto reason = [] { return std::generic_category().message(errno); };
  const Descriptor file(path);
  struct stat status{};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) fail(path, reason());
  if (!S_ISREG(status.st_mode)) fail(path, "it is not a regular file");
  std::string out;
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t count = read(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, reason());
    if (count == 0) return out;
    out.append(bytes.data(), static_cast<std::size_t>(count));
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
