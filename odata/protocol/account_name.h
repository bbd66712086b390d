// The names of storage accounts.
#pragma once

#include <algorithm>
#include <string_view>

namespace rocktable {

// 3 to 24 lower-case letters and digits.
// Source: learn.microsoft.com/azure/storage/common/storage-account-overview#storage-account-name
inline bool is_account_name(std::string_view text) {
  constexpr std::size_t kMinName = 3, kMaxName = 24;
  return text.size() >= kMinName && text.size() <= kMaxName &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

}  // namespace rocktable
