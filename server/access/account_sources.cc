#include "server/access/account_sources.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace rocktable {
namespace {

constexpr const char* kVariable = "AZURITE_ACCOUNTS";
constexpr std::size_t kMaxFileBytes = 16 << 20;
constexpr std::chrono::milliseconds kPollInterval{250};
constexpr int kMaxUnsettledLooks = 3;  // a file that changes all the time is read all the same

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

FileStamp stamp_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size, nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? std::optional(stamp_of(status)) : std::nullopt;
}

class Descriptor {
 public:
  // Does not wait for whoever has not opened the other end of a pipe yet.
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

std::string read_file(const std::string& path) {
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

// Nothing where the variable is not set or blank, as an unset variable of a container file arrives.
std::vector<Account> read_environment() {
  const char* text = std::getenv(kVariable);
  if (text == nullptr || std::string_view(text).find_first_not_of(" \t\r\n") == std::string_view::npos)
    return {};
  return parse_accounts(text, kVariable);
}

}  // namespace

std::vector<Account> AccountSources::read() {
  std::vector<Account> out = read_environment();
  if (!file_.empty()) {
    read_ = stamp_of(file_);  // before its bytes: what is written after them is seen as a change
    for (auto& account : parse_accounts(read_file(file_), "the accounts file " + file_)) {
      const auto same =
          std::find_if(out.begin(), out.end(), [&](const Account& a) { return a.name == account.name; });
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
  if (file_.empty()) return;  // nobody can change the environment of a process that runs
  seen_ = read_;
  watcher_ = std::jthread([this, accounts](const std::stop_token& stop) { poll(stop, accounts); });
}

void AccountSources::poll(const std::stop_token& stop, Accounts accounts) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, stop, kPollInterval, [&] { return stop.stop_requested(); }))
    if (is_due()) refresh(accounts);
}

// Whether the file differs from what was read, and has rested for one interval: half a file is not read where
// its writer is at work.
bool AccountSources::is_due() {
  const auto now = stamp_of(file_);
  const bool rested = now == std::exchange(seen_, now);
  looks_since_change_ = now == read_ ? 0 : looks_since_change_ + 1;
  return now != read_ && (rested || looks_since_change_ > kMaxUnsettledLooks);
}

void AccountSources::refresh(Accounts& accounts) {
  looks_since_change_ = 0;
  read_ = seen_;  // good or bad, it is looked at once
  try {
    auto named = read();
    const std::size_t count = named.size();
    accounts.replace(std::move(named));
    spdlog::info("the accounts file {} has changed; number of accounts from now on: {}", file_, count);
  } catch (const std::exception& error) {
    spdlog::error("{}; the accounts stay as they were", error.what());
  }
}

}  // namespace rocktable
