#include "base/platform/folders.h"

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {

// There is no such call of the system.
std::error_code exchange_folders(const std::filesystem::path& /*a*/, const std::filesystem::path& /*b*/) {
  return std::make_error_code(std::errc::function_not_supported);
}

std::filesystem::path make_temporary_folder(const std::string& prefix) {
  OwnerOnly owner_only(true);
  for (;;) {
    const auto name =
        std::filesystem::absolute(std::filesystem::temp_directory_path() / (to_wide(prefix) + L"-" + random_letters()));
    if (CreateDirectoryW(name.c_str(), owner_only.get()) != 0) return name;
    if (GetLastError() != ERROR_ALREADY_EXISTS) fail_with_last_error("cannot create a folder for temporary files");
  }
}

}  // namespace rocktable
