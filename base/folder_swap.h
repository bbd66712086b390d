// Folders on the disk: resolves symbolic links, exchanges two folders so that a crash leaves both whole, and
// keeps folders out of Git repositories.
#pragma once

#include <filesystem>
#include <system_error>

namespace rocktable {

// Returns the absolute path of `path` without symbolic links. The folder need not exist, and a link may point
// to a folder that does not exist. Throws std::filesystem::filesystem_error, for example if links form a
// loop.
std::filesystem::path real_path(const std::filesystem::path& path);

// Writes a `.gitignore` into a folder that has none, so that Git ignores the folder. Ignores all errors.
void keep_out_of_git(const std::filesystem::path& folder) noexcept;

// Exchanges the names of two folders. Throws std::filesystem::filesystem_error; then each folder has its own
// name. The exchange is atomic if the file system supports that. If it does not, a crash in between leaves no
// `b`, and finish_interrupted_swap() moves the former `b` back.
void swap_folders(const std::filesystem::path& a, const std::filesystem::path& b);

// Call this before `b` is opened. If an exchange was interrupted, moves the former `b` back.
void finish_interrupted_swap(const std::filesystem::path& b, std::error_code& error);

// Returns the path where an interrupted exchange may leave the former `b`.
std::filesystem::path swap_leftover(const std::filesystem::path& b);

}  // namespace rocktable
