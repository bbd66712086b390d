// Folders on the disk: what a path names behind symbolic links, and folders that take each other's place whole, whatever
// ends the process meanwhile.
#pragma once

#include <filesystem>
#include <system_error>

namespace rocktable {

// The absolute path of what `path` names, without symbolic links in it. The folder itself need not exist; a link may name
// a folder that does not. Throws std::filesystem::filesystem_error: links that lead in a circle.
std::filesystem::path real_path(const std::filesystem::path& path);

// Afterwards each has the other's name. Throws std::filesystem::filesystem_error; then each has its own. In one step where the file system can; where it cannot, whoever ends the process
// in between leaves no `b`, and settle_exchange() puts it back as it was.
void exchange_folders(const std::filesystem::path& a, const std::filesystem::path& b);

// To be called before `b` is opened: after an exchange that was cut off it is there again.
void settle_exchange(const std::filesystem::path& b, std::error_code& error);

// Where an exchange that was cut off may leave what had `b`'s place.
std::filesystem::path remains_of_exchange(const std::filesystem::path& b);

}  // namespace rocktable
