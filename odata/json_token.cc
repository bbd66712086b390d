#include "odata/json_token.h"

#include <algorithm>

namespace rocktable {
namespace {

bool starts_number(char c) { return c == '-' || (c >= '0' && c <= '9'); }

std::size_t end_of_string(std::string_view json, std::size_t begin) {
  for (std::size_t i = begin + 1; i < json.size(); ++i) {
    if (json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      return i + 1;
    }
  }
  return json.size();
}

}  // namespace

std::string_view json_token_at(std::string_view json, std::size_t begin) {
  std::size_t end = begin + 1;
  if (json[begin] == '"') end = end_of_string(json, begin);
  if (starts_number(json[begin])) end = std::min(json.find_first_not_of("0123456789+-.eE", begin), json.size());
  return json.substr(begin, end - begin);
}

bool is_json_integer(std::string_view token) {
  return starts_number(token[0]) && token.find_first_of(".eE") == token.npos;
}

}  // namespace rocktable
