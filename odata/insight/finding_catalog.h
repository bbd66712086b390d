// The kinds of findings: what is wrong in how a program uses tables. The server finds them in requests, the client in
// stored data; both name them by their id. docs/insight.md has a section for each id.
#pragma once

#include <span>
#include <string_view>

namespace rocktable {

struct FindingKind {
  std::string_view id;       // `n-plus-one`; stable: budgets name it
  std::string_view title;    // a few words: `n+1 point reads`
  std::string_view advice;   // one or two sentences: the better query or design
  bool is_error_by_default;  // where there is a budget; otherwise it is a warning
};

// All kinds, the most serious first.
std::span<const FindingKind> finding_kinds();

// Returns nullptr if there is no such id.
const FindingKind* find_finding_kind(std::string_view id);

}  // namespace rocktable
