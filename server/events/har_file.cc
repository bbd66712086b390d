#include "server/events/har_file.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/folder_swap.h"
#include "base/printable.h"
#include "server/events/har_entry.h"

namespace rocktable {
namespace {

// The first bytes of each trace of ours. They distinguish it from archives of other programs.
constexpr std::string_view kTraceStart = R"({"log":{"version":"1.2","creator":{"name":"rocktable",)";
constexpr std::string_view kHead =
    R"({"log":{"version":"1.2","creator":{"name":"rocktable","version":")" ROCKTABLE_VERSION
    R"("},"pages":[],"entries":[)";
constexpr std::string_view kEntries = R"("entries":[)";  // the end of the head in all versions
constexpr std::string_view kEnd = "\n]}}\n";
constexpr std::string_view kBetween = ",\n";  // entries contain no line breaks
constexpr mode_t kMode = 0600;                // bodies are data of the owner

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
  throw std::runtime_error("cannot write the trace " + path.string() + ": " + why);
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  fail(path, std::generic_category().message(error));
}

class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(OpenFile&& other) noexcept : descriptor_(other.release()) {}
  OpenFile& operator=(OpenFile&&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

struct stat status_of(int descriptor, const std::filesystem::path& path) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) fail(path, errno);
  return status;
}

bool is_trace(int descriptor) {
  std::array<char, kTraceStart.size()> start;
  const auto count = ::pread(descriptor, start.data(), start.size(), 0);
  return count == static_cast<ssize_t>(start.size()) && std::string_view(start.data(), start.size()) == kTraceStart;
}

// Throws if the file is neither empty nor a trace, or if another process writes it.
void require_trace(int descriptor, const std::filesystem::path& path) {
  const struct stat status = status_of(descriptor, path);
  if (!S_ISREG(status.st_mode)) fail(path, "it is not a regular file");
  if (status.st_size > 0 && !is_trace(descriptor))
    fail(path, "a file of that name exists and is not a trace of rocktable; it was not changed");
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) fail(path, "another process is writing it");
}

// Returns a closed OpenFile if there is no file. Throws if the file is not a trace.
OpenFile open_existing(const std::filesystem::path& path, int mode) {
  OpenFile there(::open(path.c_str(), mode | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
  if (!there.is_open() && errno != ENOENT) fail(path, errno);
  if (there.is_open()) require_trace(there.get(), path);
  return there;
}

void write_at(int descriptor, std::uint64_t offset, std::string_view text, const std::filesystem::path& path) {
  const auto written = ::pwrite(descriptor, text.data(), text.size(), static_cast<off_t>(offset));
  if (written < 0) fail(path, errno);
  if (static_cast<std::size_t>(written) < text.size()) fail(path, ENOSPC);
}

void begin_document(int descriptor, const std::filesystem::path& path) {
  write_at(descriptor, 0, std::string(kHead) + std::string(kEnd), path);
}

// Completes the document of a process that was killed during a write: removes the incomplete last entry.
void repair_end(int descriptor, const std::filesystem::path& path) {
  const auto size = static_cast<std::uint64_t>(status_of(descriptor, path).st_size);
  const std::uint64_t from = size - std::min<std::uint64_t>(size, 2 * kMaxEntryBytes);
  std::string tail(size - from, '\0');
  if (::pread(descriptor, tail.data(), tail.size(), static_cast<off_t>(from)) != static_cast<ssize_t>(tail.size()))
    return;
  if (tail.ends_with(kEnd)) return;
  auto last = tail.rfind(kBetween);
  if (last == std::string::npos && from == 0 && tail.find(kEntries) != std::string::npos)
    last = tail.find(kEntries) + kEntries.size();
  if (last == std::string::npos) return;
  const std::uint64_t end = from + last;
  if (::ftruncate(descriptor, static_cast<off_t>(end)) != 0) return;
  [[maybe_unused]] const auto written = ::pwrite(descriptor, kEnd.data(), kEnd.size(), static_cast<off_t>(end));
}

}  // namespace

HarFile::HarFile(const std::filesystem::path& path, std::uint64_t max_bytes)
    : path_(real_path(path)), older_(path_.string() + ".1"), max_bytes_(max_bytes / 2) {
  open();
}

HarFile::~HarFile() { close(); }

void HarFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

// Starts a document at `path_`. Rotates an existing trace. Reuses an empty file.
void HarFile::open() {
  close();
  OpenFile there = open_existing(path_, O_RDWR);
  if (there.is_open() && status_of(there.get(), path_).st_size == 0) {
    begin_document(there.get(), path_);
    adopt(there.release());
    return;
  }
  if (there.is_open()) {
    repair_end(there.get(), path_);
    rotate();
  }
  adopt(create());
}

// Renames the file at `path_` to `older_`.
void HarFile::rotate() const {
  open_existing(older_, O_RDONLY);
  if (::rename(path_.c_str(), older_.c_str()) != 0) fail(path_, errno);
}

// Creates a file with an empty document at `path_`.
int HarFile::create() const {
  OpenFile made(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!made.is_open()) fail(path_, errno);
  try {
    begin_document(made.get(), path_);
  } catch (const std::exception&) {
    ::unlink(path_.c_str());
    throw;
  }
  return made.release();
}

void HarFile::adopt(int descriptor) {
  close();
  descriptor_ = descriptor;
  ::flock(descriptor_, LOCK_EX | LOCK_NB);
  const struct stat status = status_of(descriptor_, path_);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  end_ = kHead.size();
}

// Rotates the full file and creates the next one. If that fails, renames the full file back.
void HarFile::start_next_file() {
  rotate();
  try {
    adopt(create());
  } catch (const std::exception&) {
    ::rename(older_.c_str(), path_.c_str());
    throw;
  }
}

// Returns whether the file at `path_` is the open one. Starts a new document in it if it was emptied.
bool HarFile::is_in_place() {
  struct stat status{};
  if (descriptor_ < 0 || ::stat(path_.c_str(), &status) != 0) return false;
  if (status.st_dev != device_ || status.st_ino != inode_) return false;
  const std::uint64_t expected = end_ + kEnd.size();
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == expected) return true;
  if (::ftruncate(descriptor_, static_cast<off_t>(size < expected ? 0 : expected)) != 0) fail(path_, errno);
  if (size < expected) {
    begin_document(descriptor_, path_);
    end_ = kHead.size();
  }
  return true;
}

void HarFile::append(std::string_view entry) {
  const std::lock_guard lock(mutex_);
  try {
    if (entry.size() > kMaxEntryBytes) fail(path_, "an entry is too long");
    if (!is_in_place()) open();
    write(entry);
    missing_ = 0;
  } catch (const std::exception& error) {
    ++missing_;
    if (has_warned_) return;
    has_warned_ = true;
    spdlog::warn("{}; requests are served, but are missing in the trace until it can be written",
                 printable(error.what()));
  }
}

void HarFile::write(std::string_view entry) {
  std::string text(end_ == kHead.size() ? "\n" : kBetween);
  const std::string missing = missing_ > 0 ? "{\"_missingBefore\":" + std::to_string(missing_) + "," : "{";
  text.append(missing).append(entry.substr(1)).append(kEnd);
  if (end_ > kHead.size() && end_ + text.size() > max_bytes_) {
    start_next_file();
    text.replace(0, kBetween.size(), "\n");
  }
  try {
    write_at(descriptor_, end_, text, path_);
  } catch (const std::exception&) {
    restore_end();
    throw;
  }
  end_ += text.size() - kEnd.size();
}

// Writes the closing brackets back after a failed write. Needs no disk space: their blocks are allocated.
void HarFile::restore_end() const {
  [[maybe_unused]] const auto written = ::pwrite(descriptor_, kEnd.data(), kEnd.size(), static_cast<off_t>(end_));
  [[maybe_unused]] const auto cut = ::ftruncate(descriptor_, static_cast<off_t>(end_ + kEnd.size()));
}

}  // namespace rocktable
