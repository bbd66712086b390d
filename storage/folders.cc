#include "storage/folders.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <system_error>

namespace rocktable {
namespace {

namespace fs = std::filesystem;

fs::path aside(const fs::path& folder) { return folder.string() + ".aside"; }

}  // namespace

void exchange_folders(const fs::path& a, const fs::path& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS)
    throw fs::filesystem_error("cannot exchange folders", a, b, {errno, std::generic_category()});
  fs::rename(b, aside(b));
  try {
    fs::rename(a, b);
  } catch (const fs::filesystem_error&) {
    fs::rename(aside(b), b);
    throw;
  }
  fs::rename(aside(b), a);
}

void settle_exchange(const fs::path& b, std::error_code& error) {
  if (!fs::exists(b, error) && fs::exists(aside(b), error)) fs::rename(aside(b), b, error);
}

void remove_remains(const fs::path& b) { fs::remove_all(aside(b)); }

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a file system that has no such thing
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace rocktable
