// The parameters of a URL's query as signatures need them: in the client's order and spelling.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/uri.h"

namespace rocktable {

// Calls visit(name, value), both still percent-encoded, for each parameter of a query (without `?`).
template <class Visitor>
void for_each_query_parameter(std::string_view raw_query, Visitor visit) {
  while (!raw_query.empty()) {
    const std::string_view parameter = raw_query.substr(0, raw_query.find('&'));
    raw_query.remove_prefix(parameter.size() < raw_query.size() ? parameter.size() + 1 : parameter.size());
    const std::size_t equals = parameter.find('=');
    const bool has_value = equals != std::string_view::npos;
    visit(parameter.substr(0, equals), has_value ? parameter.substr(equals + 1) : std::string_view{});
  }
}

// Percent-decodes a value. Returns it as written if it cannot be decoded, so that a signature over it does
// not match.
inline std::string decode_query_value(std::string_view raw, bool plus_is_space = true) {
  return percent_decode(raw, plus_is_space).value_or(std::string(raw));
}

}  // namespace rocktable
