#include "server/faults/header_changes.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/text.h"
#include "server/request/response.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxHeaderChanges = 50;
constexpr std::size_t kMaxHeaderName = 100;
constexpr std::size_t kMaxHeaderValue = 4096;

// They say where an answer ends, and whether another one follows: the connection writes them.
constexpr std::array kFraming = {"Connection", "Content-Length",    "Keep-Alive",
                                 "Trailer",    "Transfer-Encoding", "Upgrade"};

// A token of RFC 9110.
bool is_header_name(std::string_view name) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  const auto is_allowed = [&](char c) {
    const char lower = to_lower_ascii(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || kSigns.find(c) != kSigns.npos;
  };
  return !name.empty() && name.size() <= kMaxHeaderName && std::all_of(name.begin(), name.end(), is_allowed);
}

std::string header_value_of(const JsonReader& value) {
  std::string text = value.text();
  const auto is_allowed = [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; };
  if (!std::all_of(text.begin(), text.end(), is_allowed)) value.refuse("must be printable ASCII, without a line break");
  if (text.size() > kMaxHeaderValue) value.refuse("must have at most " + std::to_string(kMaxHeaderValue) + " bytes");
  return text;
}

void check_header_name(const JsonReader& value, std::string_view name) {
  if (!is_header_name(name))
    value.refuse("the name of a header must have 1 to " + std::to_string(kMaxHeaderName) +
                 " letters, digits and signs such as -");
  const auto is_same = [&](std::string_view one) { return equals_ignoring_case(one, name); };
  if (std::any_of(kFraming.begin(), kFraming.end(), is_same))
    value.refuse("this header says where the answer ends; cutAfterBytes, close and reset change that");
}

void remove_fields(std::string& fields, std::string_view name) {
  constexpr std::string_view kLineEnd = "\r\n";
  for (std::size_t begin = 0; begin < fields.size();) {
    const std::size_t end = std::min(fields.find(kLineEnd, begin), fields.size() - kLineEnd.size()) + kLineEnd.size();
    const std::string_view line = std::string_view(fields).substr(begin, end - begin);
    if (equals_ignoring_case(line.substr(0, line.find(':')), name)) {
      fields.erase(begin, end - begin);
    } else {
      begin = end;
    }
  }
}

}  // namespace

std::vector<HeaderChange> read_header_changes(const JsonReader& object) {
  object.must_be(JsonKind::Object);
  std::vector<HeaderChange> out;
  for (const JsonMember& member : object.members()) {
    const JsonReader value = object.member(member.name);
    HeaderChange change{std::string(member.name), {}};
    check_header_name(value, change.name);
    const auto is_same = [&](const HeaderChange& one) { return equals_ignoring_case(one.name, change.name); };
    if (std::any_of(out.begin(), out.end(), is_same)) value.refuse("this header is named twice");
    if (value.kind() == JsonKind::Array) {
      for (const JsonReader& item : value.items()) change.values.push_back(header_value_of(item));
      if (change.values.empty()) value.refuse("must not be empty; null removes the header");
    } else if (value.kind() != JsonKind::Null) {
      change.values.push_back(header_value_of(value));
    }
    if (out.size() == kMaxHeaderChanges)
      value.refuse("there must be at most " + std::to_string(kMaxHeaderChanges) + " headers");
    out.push_back(std::move(change));
  }
  if (out.empty()) object.refuse("must name a header");
  return out;
}

nlohmann::json to_json(const std::vector<HeaderChange>& changes) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, values] : changes) {
    if (values.size() > 1) {
      out[name] = values;
    } else {
      out[name] = values.empty() ? nlohmann::json() : nlohmann::json(values.front());
    }
  }
  return out;
}

void change_fields(const std::vector<HeaderChange>& changes, std::string& fields) {
  for (const HeaderChange& change : changes) {
    remove_fields(fields, change.name);
    for (const std::string& value : change.values) append_field(fields, change.name, value);
  }
}

}  // namespace rocktable
