// Texts of SQL with parts in braces.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rocktable {

// Names, with their braces, and what stands for them. It may have other names in it.
using SqlParts = std::vector<std::pair<std::string, std::string>>;

std::string with_parts(std::string sql, const SqlParts& parts);

// Replaces all places where `name` stands.
std::string replace_all(std::string text, std::string_view name, std::string_view by);

// Settings with which the primary key gives the rows of a range, as `NAME = VALUE`.
std::vector<std::string> planner_settings();

}  // namespace rocktable
