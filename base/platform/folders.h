// Folders, as far as the standard library cannot say it.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace rocktable {

// Exchanges the names of two folders in one step. Returns errc::function_not_supported if the system or the file system
// cannot do that; then nothing has changed.
std::error_code exchange_folders(const std::filesystem::path& a, const std::filesystem::path& b);

// Creates a folder for temporary files that only this user can enter: `prefix` and a suffix that nobody can predict.
// Returns its absolute path. Throws std::system_error.
std::filesystem::path make_temporary_folder(const std::string& prefix);

}  // namespace rocktable
