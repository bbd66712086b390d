#include "server/access/file_watcher.h"

#include <chrono>
#include <utility>

#include "base/platform/file.h"

namespace rocktable {
namespace {

constexpr std::chrono::milliseconds kPollInterval{250};
constexpr int kMaxUnsettledPolls = 3;  // then a file that keeps changing is read anyway

std::optional<FileVersion> version_of_file(const std::string& path) {
  const auto status = status_of(path);
  if (!status) return std::nullopt;
  return FileVersion{status->device, status->number, static_cast<std::int64_t>(status->size), status->modified,
                     status->changed};
}

}  // namespace

void FileWatcher::note(const std::string& file) { files_.push_back({file, version_of_file(file)}); }

FileWatcher::Versions FileWatcher::read_versions() const {
  Versions out;
  for (const auto& file : files_) out.push_back(file.version);
  return out;
}

FileWatcher::Versions FileWatcher::current_versions() const {
  Versions out;
  for (const auto& file : files_) out.push_back(version_of_file(file.path));
  return out;
}

void FileWatcher::watch(std::function<void()> read_again) {
  if (files_.empty()) return;
  read_again_ = std::move(read_again);
  seen_ = read_versions();
  watcher_ = StoppableThread([this](StopSignal& stop) { poll(stop); });
}

void FileWatcher::poll(StopSignal& stop) {
  while (!stop.wait_for(kPollInterval)) {
    if (!is_due()) continue;
    polls_since_change_ = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) files_[i].version = seen_[i];  // if it ends before it notes them
    read_again_();
    seen_ = read_versions();
  }
}

// Returns whether a file differs from the version read last, and none has changed for one interval.
bool FileWatcher::is_due() {
  const Versions now = current_versions(), read = read_versions();
  const bool rested = now == std::exchange(seen_, now);
  polls_since_change_ = now == read ? 0 : polls_since_change_ + 1;
  return now != read && (rested || polls_since_change_ > kMaxUnsettledPolls);
}

}  // namespace rocktable
