// Folders on the disk: resolves symbolic links, exchanges two folders so that a crash leaves both whole, and keeps folders
// out of repositories.
#pragma once

#include <filesystem>
#include <system_error>

namespace rocktable {

// Returns the absolute path of what `path` names, without symbolic links. The folder need not exist, and a link may point
// to a folder that does not exist. Throws std::filesystem::filesystem_error, for one where links form a loop.
std::filesystem::path real_path(const std::filesystem::path& path);

// Writes a `.gitignore` into a folder that has none, so that no repository takes the folder up. Where that fails, nothing else
// does.
void keep_out_of_git(const std::filesystem::path& folder) noexcept;

// Exchanges the names of two folders. Throws std::filesystem::filesystem_error; then each has its own name. It is one step
// where the file system supports that. Where it does not, a crash in between leaves no `b`, and finish_interrupted_swap() puts
// `b` back as it was.
void swap_folders(const std::filesystem::path& a, const std::filesystem::path& b);

// To be called before `b` is opened: after an exchange that was cut off it is there again.
void finish_interrupted_swap(const std::filesystem::path& b, std::error_code& error);

// The path where an interrupted exchange may leave the former `b`.
std::filesystem::path swap_leftover(const std::filesystem::path& b);

}  // namespace rocktable
