// Sets options that the command line does not set: from environment variables, and from a file.
//
//   --tablePort 7000            the command line comes first,
//   ROCKTABLE_TABLE_PORT=7000   then the variable,
//   tablePort = 7000            then the line of the file that --config names (TOML, without sections)
//
// The value of a flag is true or false (also yes and no, on and off, 1 and 0). Repeatable options take a
// list: `["a", "b"]` in the file, `a,b` in a variable. An empty variable counts as not set.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "client/command_line/command_line.h"

namespace rocktable {

// A variable or a line of the file is invalid. The message is for the user and names the variable or line.
class ConfigurationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The variable of an option: ROCKTABLE_TABLE_PORT of --tablePort.
std::string variable_of(std::string_view option);

// The variable, or the file and line, that set an option. Maps from the long name (`--tablePort`). Options
// from the command line are not in the map.
struct ValueSource {
  std::string place;
  std::string value;  // empty for flags and lists
};
using ValueSources = std::map<std::string, ValueSource>;

// Appends to `sentence` the sources of the options that it names, or whose values it contains.
std::string with_sources(const std::string& sentence, const ValueSources& sources);

// Both set the options of `app` that are not set yet, and record their sources. Options that `app` marks as
// not configurable are skipped. Throw ConfigurationError.
void read_variables(CLI::App& app, ValueSources& sources);
// Also throws std::runtime_error: the file cannot be read.
void read_config_file(CLI::App& app, const std::string& path, ValueSources& sources);

// Returns warnings about unknown variables ROCKTABLE_... that resemble that of an option, and about the token
// that `rocktable exec` set, which does not count here.
std::vector<std::string> variable_warnings(const CLI::App& app);

}  // namespace rocktable
