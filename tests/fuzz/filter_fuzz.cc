// Any bytes as a $filter: refused with a code of parse_filter, or a tree that can be printed, evaluated and
// planned.
#include "odata/filter_parser.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/targets.h"

namespace rocktable {

void fuzz_filter(std::string_view input) {
  for (const FilterTarget target : {FilterTarget::Entities, FilterTarget::Tables}) {
    auto parsed = parse_filter(input, target);
    if (!parsed) {
      const ErrorCode code = parsed.error().code;
      require(code == ErrorCode::InvalidInput || code == ErrorCode::NotImplemented, "a refusal of another code");
      continue;
    }
    const std::optional<Filter> filter = std::move(*parsed);
    require(!to_string(*filter).empty(), "a tree without text");
    require_sound_plan(filter);
  }
}

}  // namespace rocktable
