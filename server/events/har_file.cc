#include "server/events/har_file.h"

#include <spdlog/spdlog.h>

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

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
  throw std::runtime_error("cannot write the trace " + path.string() + ": " + why);
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  fail(path, std::generic_category().message(error));
}

FileStatus status_of(const File& file, const std::filesystem::path& path) {
  const auto status = file.status();
  if (!status) fail(path, errno);
  return *status;
}

bool is_trace(const File& file) {
  std::array<char, kTraceStart.size()> start;
  return file.read_at(0, start.data(), start.size()) == start.size() &&
         std::string_view(start.data(), start.size()) == kTraceStart;
}

// Throws if the file is neither empty nor a trace, or if another process writes it.
void require_trace(const File& file, const std::filesystem::path& path) {
  const FileStatus status = status_of(file, path);
  if (status.kind != FileStatus::Kind::Regular) fail(path, "it is not a regular file");
  if (status.size > 0 && !is_trace(file))
    fail(path, "a file of that name exists and is not a trace of rocktable; it was not changed");
  if (file.lock() == LockOutcome::HeldByAnother) fail(path, "another process is writing it");
}

// Returns a closed file if there is none. Throws if the file is not a trace.
File open_existing(const std::filesystem::path& path, OpenMode mode) {
  File there = File::open(path, mode, Links::Refuse);
  if (!there.is_open() && errno != ENOENT) fail(path, errno);
  if (there.is_open()) require_trace(there, path);
  return there;
}

void write_at(const File& file, std::uint64_t offset, std::string_view text, const std::filesystem::path& path) {
  const auto written = file.write_at(offset, text);
  if (!written) fail(path, errno);
  if (*written < text.size()) fail(path, ENOSPC);
}

void begin_document(const File& file, const std::filesystem::path& path) {
  write_at(file, 0, std::string(kHead) + std::string(kEnd), path);
}

// Completes the document of a process that was killed during a write: removes the incomplete last entry.
void repair_end(const File& file, const std::filesystem::path& path) {
  const std::uint64_t size = status_of(file, path).size;
  const std::uint64_t from = size - std::min<std::uint64_t>(size, 2 * kMaxEntryBytes);
  std::string tail(size - from, '\0');
  if (file.read_at(from, tail.data(), tail.size()) != tail.size()) return;
  if (tail.ends_with(kEnd)) return;
  auto last = tail.rfind(kBetween);
  if (last == std::string::npos && from == 0 && tail.find(kEntries) != std::string::npos)
    last = tail.find(kEntries) + kEntries.size();
  if (last == std::string::npos) return;
  const std::uint64_t end = from + last;
  if (file.truncate(end)) file.write_at(end, kEnd);
}

}  // namespace

HarFile::HarFile(const std::filesystem::path& path, std::uint64_t max_bytes)
    : path_(real_path(path)), older_(path_.string() + ".1"), max_bytes_(max_bytes / 2) {
  open();
}

// Starts a document at `path_`. Rotates an existing trace. Reuses an empty file.
void HarFile::open() {
  file_.close();
  File there = open_existing(path_, OpenMode::ReadWrite);
  if (there.is_open() && status_of(there, path_).size == 0) {
    begin_document(there, path_);
    adopt(std::move(there));
    return;
  }
  if (there.is_open()) {
    repair_end(there, path_);
    rotate();
  }
  adopt(create());
}

// Renames the file at `path_` to `older_`.
void HarFile::rotate() const {
  open_existing(older_, OpenMode::Read);
  if (!rename_file(path_, older_)) fail(path_, errno);
}

// Creates a file with an empty document at `path_`.
File HarFile::create() const {
  File made = File::create(path_, FileRights::OwnerOnly);  // bodies are data of the owner
  if (!made.is_open()) fail(path_, errno);
  try {
    begin_document(made, path_);
  } catch (const std::exception&) {
    remove_file(path_);
    throw;
  }
  return made;
}

void HarFile::adopt(File file) {
  file_ = std::move(file);
  [[maybe_unused]] const LockOutcome outcome = file_.lock();
  const FileStatus status = status_of(file_, path_);
  device_ = status.device;
  number_ = status.number;
  end_ = kHead.size();
}

// Rotates the full file and creates the next one. If that fails, renames the full file back.
void HarFile::start_next_file() {
  rotate();
  try {
    adopt(create());
  } catch (const std::exception&) {
    rename_file(older_, path_);
    throw;
  }
}

// Returns whether the file at `path_` is the open one. Starts a new document in it if it was emptied.
bool HarFile::is_in_place() {
  const auto status = rocktable::status_of(path_);
  if (!file_.is_open() || !status || status->device != device_ || status->number != number_) return false;
  const std::uint64_t expected = end_ + kEnd.size();
  if (status->size == expected) return true;
  if (!file_.truncate(status->size < expected ? 0 : expected)) fail(path_, errno);
  if (status->size < expected) {
    begin_document(file_, path_);
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
    write_at(file_, end_, text, path_);
  } catch (const std::exception&) {
    restore_end();
    throw;
  }
  end_ += text.size() - kEnd.size();
}

// Writes the closing brackets back after a failed write. Needs no disk space: their blocks are allocated.
void HarFile::restore_end() const {
  file_.write_at(end_, kEnd);
  file_.truncate(end_ + kEnd.size());
}

}  // namespace rocktable
