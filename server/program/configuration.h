// Where options come from that the command line does not give: variables of the environment, and a file.
//
//   --tablePort 7000            the command line counts first,
//   ROCKTABLE_TABLE_PORT=7000   then the variable,
//   tablePort = 7000            then the line of the file that --config names (TOML, without sections)
//
// A flag's value is true or false (also yes and no, on and off, 1 and 0). Options that may be repeated take a list: `["a", "b"]` in
// the file, `a,b` in a variable. An empty variable counts as none.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "client/commands/command_line.h"

namespace rocktable {

// A variable or a line of the file that makes no sense: a sentence for the user that says which one.
class ConfigurationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The variable of an option: ROCKTABLE_TABLE_PORT of --tablePort.
std::string variable_of(std::string_view option);

// Of an option, by its long name (`--tablePort`): the variable, or file and line, that gave its value. None of those of the
// command line.
struct Origin {
  std::string place;
  std::string value;  // empty for flags and lists
};
using Origins = std::map<std::string, Origin>;

// Appends to the sentence where the options came from that it names, or whose values.
std::string with_origins(const std::string& sentence, const Origins& origins);

// Both give values to those options of an app that have none yet, and add where these came from. Options that the app
// marks as not configurable are left out. Throw ConfigurationError.
void take_variables(CLI::App& app, Origins& origins);
// Throws std::runtime_error, too: the file cannot be read.
void take_file(CLI::App& app, const std::string& path, Origins& origins);

// Sentences about variables ROCKTABLE_... that are near to an option's and mean nothing, and about one that does not
// count because `rocktable exec` set it.
std::vector<std::string> doubtful_variables(const CLI::App& app);

}  // namespace rocktable
