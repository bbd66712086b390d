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

// The primary key gives the rows in their order, and LIMIT ends the scan. Where the database's statistics are old it
// would guess that a range has few rows, and read and sort all of them for each page.
std::vector<std::string> planner_settings() {
  std::vector<std::string> out;
  for (const char* other : {"seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin"})
    out.push_back(std::string("enable_") + other + " = off");
  return out;
}

}  // namespace rocktable
