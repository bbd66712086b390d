// A key in the sentence of a finding.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// "`de`"; a long key is cut between characters and ends in `...`.
std::string shown_key(std::string_view key);

}  // namespace rocktable
