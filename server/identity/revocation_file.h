// The file that remembers when keys of accounts were revoked, beside a store.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace rocktable {

// The account, and the time of its last revocation.
using RevocationTimes = std::map<std::string, std::string, std::less<>>;

// Returns an empty map if there is no file. Throws std::runtime_error with a sentence: it cannot be read, or has another
// form.
RevocationTimes read_revocations(const std::filesystem::path& folder);

// Replaces the file. Throws std::runtime_error if it cannot be written.
void write_revocations(const std::filesystem::path& folder, const RevocationTimes& times);

inline constexpr const char* kRevocationFile = "__rocktable_revoked__.json";

}  // namespace rocktable
