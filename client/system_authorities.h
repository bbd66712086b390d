// Where systems keep the certificates of the authorities that they trust.
#pragma once

#include <filesystem>
#include <vector>

namespace rocktable {

// Files in PEM form, and folders of such files, as distributions place them; the first that exists counts. OpenSSL
// knows only the place of the distribution that it was built for, and one program runs on all.
std::vector<std::filesystem::path> system_authorities();

}  // namespace rocktable
