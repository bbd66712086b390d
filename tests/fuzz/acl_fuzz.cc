// Any bytes as the access policies of a table: refused, or a few identifiers within their limits, which are
// unchanged after writing and reading.
#include <set>

#include "server/access/signed_identifiers.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

bool is_ordered(std::string_view permissions) {
  std::size_t last = 0;
  for (const char letter : permissions) {
    const auto place = std::string_view("-raud").find(letter, last + 1);
    if (place == std::string_view::npos) return false;
    last = place;
  }
  return true;
}

}  // namespace

void fuzz_acl(std::string_view input) {
  const auto identifiers = parse_signed_identifiers(input);
  if (!identifiers) return require_refusal(identifiers.error(), input.size());
  require(identifiers->size() <= 5, "too many identifiers");
  std::set<std::string> ids;
  for (const auto& identifier : *identifiers) {
    require(ids.insert(identifier.id).second, "an identifier twice");
    require(!identifier.id.empty() && is_utf8(identifier.id) && utf16_length(identifier.id) <= 64 &&
                is_one_line(identifier.id),
            "an identifier beyond its limits");
    require(is_ordered(identifier.permissions), "permissions that are none, twice, or out of order");
  }
  const std::string xml = render_signed_identifiers(*identifiers);
  const auto again = parse_signed_identifiers(xml);
  require(again && *again == *identifiers, "policies change when written and read");
  require(render_signed_identifiers(*again) == xml, "policies have two spellings");
}

}  // namespace rocktable
