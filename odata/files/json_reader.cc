#include "odata/files/json_reader.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "odata/files/entity_fault.h"
#include "odata/files/line_stream.h"
#include "odata/value.h"

namespace rocktable {
JsonDocument::JsonDocument(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  if (const auto fault = find_json_fault(text_)) refuse(text_.substr(fault->offset), fault->sentence);
}

JsonReader JsonDocument::root() const { return {text_.substr(text_.find_first_not_of(" \t\r\n")), "", *this}; }

FilePlace JsonDocument::place_of(std::string_view at) const {
  return place_in_text(text_, static_cast<std::size_t>(at.data() - text_.data()));
}

void JsonDocument::refuse(std::string_view at, const std::string& sentence) const {
  throw FileError(file_, place_of(at), sentence);
}

JsonReader::JsonReader(std::string_view value, std::string path, const JsonDocument& document)
    : value_(value), members_(value), path_(std::move(path)), document_(document) {
  if (const JsonMember* second = members_.find_duplicate())
    refuse_at(second->name_token, quoted_for_message(second->name) + " is given twice");
}

void JsonReader::must_be(JsonKind wanted) const {
  if (kind() != wanted)
    refuse("must be " + std::string(to_string(wanted)) + ", but is " + std::string(to_string(kind())));
}

void JsonReader::allow_only(std::initializer_list<std::string_view> names) const {
  must_be(JsonKind::Object);
  for (const JsonMember& member : members_.list()) {
    if (std::find(names.begin(), names.end(), member.name) != names.end()) continue;
    at(member).refuse("unknown property; allowed: " + joined(names));
  }
}

JsonReader JsonReader::member(std::string_view name) const {
  const JsonMember* found = members_.find(name);
  if (found == nullptr) refuse("the property " + std::string(name) + " is missing");
  return at(*found);
}

std::vector<JsonReader> JsonReader::items() const {
  must_be(JsonKind::Array);
  std::vector<JsonReader> out;
  for (const std::string_view item : json_items(value_))
    out.emplace_back(item, path_ + "[" + std::to_string(out.size()) + "]", document_);
  return out;
}

std::string JsonReader::text() const {
  must_be(JsonKind::Text);
  return json_text(value_);
}

std::string JsonReader::text_or(std::string_view name, const std::string& otherwise) const {
  return has(name) ? member(name).text() : otherwise;
}

bool JsonReader::flag() const {
  must_be(JsonKind::Boolean);
  return value_.starts_with("true");
}

std::int64_t JsonReader::integer(std::int64_t min, std::int64_t max) const {
  must_be(JsonKind::Integer);
  const std::int64_t number = parse_int64(value_).value();
  if (number < min || number > max) refuse("must be from " + std::to_string(min) + " to " + std::to_string(max));
  return number;
}

double JsonReader::number(double min, double max) const {
  if (kind() != JsonKind::Integer) must_be(JsonKind::Number);
  const auto number = parse_double(value_);
  if (!number || *number < min || *number > max) refuse("must be from " + shortest(min) + " to " + shortest(max));
  return *number;
}

FilePlace JsonReader::place() const { return document_.place_of(value_); }

void JsonReader::refuse_at(std::string_view at, const std::string& sentence) const {
  document_.refuse(at, (path_.empty() ? "" : path_ + ": ") + sentence);
}

JsonReader JsonReader::at(const JsonMember& member) const {
  return {member.value_token, path_.empty() ? member.name : path_ + "." + member.name, document_};
}

}  // namespace rocktable
