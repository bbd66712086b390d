// nlohmann_json finds syntax errors, because it reports their position. A walk over the tokens finds the
// members. Neither recurses.
#include "odata/files/located_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "odata/json_token.h"
#include "odata/value.h"

namespace rocktable {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kBlanks = " \t\r\n";

// Takes the useful part of a message of nlohmann_json: the part after the dash, without what was read last,
// which can be megabytes. Example: `[json.exception.parse_error.101] parse error at line 1, column 7: syntax
// error while parsing object separator - unexpected number literal; expected ':'`.
std::string sentence_in(std::string_view message) {
  constexpr std::string_view kLastRead = "; last read: ";
  for (const std::string_view before : {" - ", "] "}) {
    const std::size_t begin = message.find(before);
    if (begin == message.npos) continue;
    message.remove_prefix(begin + before.size());
    break;
  }
  constexpr std::size_t kMaxSentence = 150;  // a number in the message can be as long
  return "this is not JSON: " + std::string(message.substr(0, std::min(message.find(kLastRead), kMaxSentence)));
}

bool is_in_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.';
}

// The parser reports how many bytes it has read. It reads a token in the wrong place to the end, an invalid
// token up to the first bad byte. So this function returns the begin of the token whose last byte is at
// `last`.
std::size_t begin_of_token(std::string_view text, std::size_t last) {
  if (text[last] == '"') {
    for (std::size_t i = last; i-- > 0;)
      if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) return i;
    return last;
  }
  while (last > 0 && is_in_word(text[last]) && is_in_word(text[last - 1])) --last;
  return last;
}

// Accepts every value, and remembers where the parser stopped.
class FaultFinder : public nlohmann::json_sax<Json> {
 public:
  explicit FaultFinder(std::string_view text) : text_(text) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }

  bool parse_error(std::size_t bytes_read, const std::string&, const nlohmann::detail::exception& error) override {
    const std::string_view message = error.what();
    std::size_t offset = std::min(bytes_read == 0 ? 0 : bytes_read - 1, text_.size());
    const bool whole_token = message.find("unexpected ") != message.npos ||
                             message.find("out of range") != message.npos || message.find("overflow") != message.npos;
    if (whole_token && offset < text_.size()) offset = begin_of_token(text_, offset);
    fault = JsonFault{offset, sentence_in(message)};
    return false;
  }

  std::optional<JsonFault> fault;

 private:
  std::string_view text_;
};

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

// Returns the offset after the value at `at`. An object or array ends when its depth is 0 again, any other
// value at a comma or closing bracket.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    at += c == '"' ? json_token_at(text, at).size() : 1;
  }
  return at;
}

std::string_view value_at(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view token = text.substr(begin, end - begin);
  return token.substr(0, token.find_last_not_of(kBlanks) + 1);
}

std::vector<JsonMember> members_of(std::string_view text) {
  std::vector<JsonMember> members;
  std::size_t at = skip_blanks(text, 0);
  if (at == text.size() || text[at] != '{') return members;
  for (at = skip_blanks(text, at + 1); at < text.size() && text[at] == '"';) {
    const std::string_view name = json_token_at(text, at);
    const std::size_t colon = skip_blanks(text, at + name.size());
    const std::size_t begin = skip_blanks(text, std::min(colon + 1, text.size()));
    const std::size_t end = end_of_value(text, begin);
    members.push_back({json_text(name), name, value_at(text, begin, end)});
    at = skip_blanks(text, std::min(end + 1, text.size()));
  }
  return members;
}

}  // namespace

std::optional<JsonFault> find_json_fault(std::string_view text) {
  // Versions of nlohmann_json describe this differently.
  if (text.find_first_not_of(kBlanks) == text.npos) return JsonFault{0, "this is not JSON: it is empty"};
  FaultFinder finder(text);
  Json::sax_parse(text.begin(), text.end(), &finder);
  return finder.fault;
}

JsonKind json_kind(std::string_view value) {
  switch (value[0]) {
    case 'n':
      return JsonKind::Null;
    case 't':
    case 'f':
      return JsonKind::Boolean;
    case '"':
      return JsonKind::Text;
    case '[':
      return JsonKind::Array;
    case '{':
      return JsonKind::Object;
    default:
      return parse_int64(value) ? JsonKind::Integer : JsonKind::Number;
  }
}

std::string_view to_string(JsonKind kind) {
  switch (kind) {
    case JsonKind::Null:
      return "null";
    case JsonKind::Boolean:
      return "true or false";
    case JsonKind::Integer:
      return "an integer";
    case JsonKind::Number:
      return "a number";
    case JsonKind::Text:
      return "text";
    case JsonKind::Array:
      return "an array";
    case JsonKind::Object:
      return "an object";
  }
  return "";
}

std::string json_text(std::string_view value) { return Json::parse(value).get<std::string>(); }

std::vector<std::string_view> json_items(std::string_view text) {
  std::vector<std::string_view> items;
  std::size_t at = skip_blanks(text, 0);
  if (at == text.size() || text[at] != '[') return items;
  for (at = skip_blanks(text, at + 1); at < text.size() && text[at] != ']';) {
    const std::size_t end = end_of_value(text, at);
    items.push_back(value_at(text, at, end));
    at = skip_blanks(text, std::min(end + 1, text.size()));
  }
  return items;
}

JsonMembers::JsonMembers(std::string_view text) : list_(members_of(text)) {
  sorted_.reserve(list_.size());
  for (const JsonMember& member : list_) sorted_.push_back(&member);
  // Sorts members of the same name by position: their order in memory is that in the text.
  std::sort(sorted_.begin(), sorted_.end(),
            [](auto* a, auto* b) { return std::tie(a->name, a) < std::tie(b->name, b); });
}

const JsonMember* JsonMembers::find(std::string_view name) const {
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), name,
                                      [](auto* member, std::string_view wanted) { return member->name < wanted; });
  return found != sorted_.end() && (*found)->name == name ? *found : nullptr;
}

const JsonMember* JsonMembers::find_duplicate() const {
  const auto found =
      std::adjacent_find(sorted_.begin(), sorted_.end(), [](auto* a, auto* b) { return a->name == b->name; });
  return found == sorted_.end() ? nullptr : *std::next(found);
}

}  // namespace rocktable
