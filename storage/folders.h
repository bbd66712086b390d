// Folders on the disk: resolves symbolic links, and exchanges two folders so that a crash leaves both whole.
#pragma once

#include <filesystem>
#include <system_error>

namespace rocktable {

// Returns the absolute path of what `path` names, without symbolic links. The folder need not exist, and a link may point
// to a folder that does not exist. Throws std::filesystem::filesystem_error, for one where links form a loop.
std::filesystem::path real_path(const std::filesystem::path& path);

// Exchanges the names of two folders. Throws std::filesystem::filesystem_error; then each has its own name. It is one step
// where the file system supports that. Where it does not, a crash in between leaves no `b`, and settle_exchange() puts
// `b` back as it was.
void exchange_folders(const std::filesystem::path& a, const std::filesystem::path& b);

// To be called before `b` is opened: after an exchange that was cut off it is there again.
void settle_exchange(const std::filesystem::path& b, std::error_code& error);

// The path where an interrupted exchange may leave the former `b`.
std::filesystem::path remains_of_exchange(const std::filesystem::path& b);

}  // namespace rocktable
