#include "odata/insight/finding_catalog.h"

#include <doctest/doctest.h>

#include <set>

namespace rocktable::TEST_FILE {

TEST_CASE("each kind of finding is found by its id") {
  std::set<std::string_view> ids;
  for (const FindingKind& kind : finding_kinds()) {
    CHECK(find_finding_kind(kind.id) == &kind);
    CHECK(kind.advice.ends_with("."));
    ids.insert(kind.id);
  }
  CHECK(ids.size() == finding_kinds().size());
  CHECK(find_finding_kind("unknown") == nullptr);
}

TEST_CASE("four kinds are errors by default") {
  std::set<std::string_view> errors;
  for (const FindingKind& kind : finding_kinds())
    if (kind.is_error_by_default) errors.insert(kind.id);
  CHECK(errors ==
        std::set<std::string_view>{"table-scan", "partition-range-scan", "scanned-per-returned", "abandoned-paging"});
}

}  // namespace rocktable::TEST_FILE
