// Any bytes as a $select: few trimmed names, and a response with exactly these members, at each metadata
// level.
#include <nlohmann/json.hpp>
#include <set>

#include "odata/payload_writer.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

using Json = nlohmann::json;

const Entity kEntity{{"p", "r"}, kUnixEpoch, {{"A", 1}, {"B", std::int64_t{2}}, {"C", std::string("three")}}};

void check_names(const Selection& selection) {
  std::set<std::string> seen;
  for (const auto& name : selection.names) {
    require(!name.empty() && name.find(',') == name.npos && trim(name) == name && name != "*", "a name that is none");
    require(seen.insert(name).second, "a name twice");
  }
  require(seen.size() <= kMaxProperties + 3, "more names than an entity can have");
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ",") + name;
  return out;
}

// Computes the selected members without the writer.
std::set<std::string> wanted(const Selection& selection) {
  if (!selection.names.empty()) return {selection.names.begin(), selection.names.end()};
  return {"PartitionKey", "RowKey", "Timestamp", "A", "B", "C"};
}

void check_answer(MetadataLevel level, const Selection& selection, std::size_t input_bytes) {
  std::string text;
  const PayloadFormat format{level, "http://h/acc", "acc", "t"};
  write_entity(text, format, selection, {"p", "r", kEntity.timestamp, view_of(kEntity.properties)});
  // The text occurs twice, in the context and as names; a control character becomes six characters.
  require(text.size() <= 2048 + 12 * input_bytes, "an answer without end");
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  require(json.is_object(), "an answer that is no JSON");
  std::set<std::string> found;
  for (const auto& [name, value] : json.items())
    if (!name.starts_with("odata.") && !name.ends_with("@odata.type")) found.insert(name);
  for (const auto& name : wanted(selection)) {
    const bool is_control = name.starts_with("odata.") || name.ends_with("@odata.type");
    require(is_control || found.erase(name) == 1, "a selected name is missing");
  }
  require(found.empty(), "more than was selected");
}

}  // namespace

void fuzz_select(std::string_view input) {
  const auto parsed = parse_select(input);
  if (!parsed) return require_refusal(parsed.error(), input.size());
  const Selection& selection = *parsed;
  check_names(selection);
  require(parse_select(joined(selection.names)).value().names == selection.names, "a list of names changes");
  require(selection.context.find(' ') == selection.context.npos, "a context with spaces");
  if (!is_utf8(input)) return;  // refused by the decoder of the URL
  for (const auto level : {MetadataLevel::None, MetadataLevel::Minimal, MetadataLevel::Full})
    check_answer(level, selection, input.size());
}

}  // namespace rocktable
