#include "storage/postgres/database/sql_parts.h"

namespace rocktable {

std::string with_parts(std::string sql, const SqlParts& parts) {
  for (std::string before; before != sql;) {
    before = sql;
    for (const auto& [name, part] : parts) sql = replace_all(std::move(sql), name, part);
  }
  return sql;
}

std::string replace_all(std::string text, std::string_view name, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; at += by.size()) text.replace(at, name.size(), by);
  return text;
}

}  // namespace rocktable
