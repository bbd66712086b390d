#include "base/platform/folders.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

namespace rocktable {

std::error_code exchange_folders(const std::filesystem::path& a, const std::filesystem::path& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return {};
  if (errno == EINVAL || errno == ENOSYS) return std::make_error_code(std::errc::function_not_supported);
  return {errno, std::generic_category()};
}

std::filesystem::path make_temporary_folder(const std::string& prefix) {
  std::string name = std::filesystem::absolute(std::filesystem::temp_directory_path() / (prefix + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot create a folder like " + name);
  return name;
}

}  // namespace rocktable
