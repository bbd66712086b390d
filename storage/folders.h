// Folders that take each other's place whole, whatever ends the process meanwhile.
#pragma once

#include <filesystem>
#include <system_error>

namespace rocktable {

// Afterwards each has the other's name. In one step where the file system can; where it cannot, whoever ends the process
// in between leaves no `b`, and settle_exchange() puts it back as it was. Throws std::filesystem::filesystem_error.
void exchange_folders(const std::filesystem::path& a, const std::filesystem::path& b);

// To be called before `b` is opened: after an exchange that was cut off it is there again.
void settle_exchange(const std::filesystem::path& b, std::error_code& error);

// What an exchange that was cut off left beside `b`. Nobody else may be exchanging it.
void remove_remains(const std::filesystem::path& b);

// What has been renamed in a folder stays so when the power fails.
void sync_folder(const std::filesystem::path& folder);

}  // namespace rocktable
