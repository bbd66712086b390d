// The options of a command as JSON, for programs that write manuals and completions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rocktable {

// argv[0] of a request for this description (client/command_line/command_line.h).
inline constexpr const char* kDescribeWord = "describe";

// Returns an object in one line: `name` ("rocktable copy"), `description`, `footer`, `options`, `arguments` (words
// without a name), `subcommands` (the same objects). An option has `names` ("--from"), `value` (its placeholder; empty:
// a flag), `text`, `group`, `required`, `repeatable`. Omits hidden options.
std::string describe(const CLI::App& app);

// The options of the app above `app`, if `app` accepts them, too (CLI::App::fallthrough).
std::vector<const CLI::Option*> inherited_options(const CLI::App& app);

}  // namespace rocktable
