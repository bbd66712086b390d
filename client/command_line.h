// How every command of the program reads its command line: --help on standard output, wrong usage in one line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace rocktable {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

// What is left to do with a command line that asks for no work, or for none that can be done.
struct Ending {
  std::string text;
  int exit_code;

  // On standard output where the code is 0, else on standard error; returns the code.
  int tell() const;
};

// Nothing where the command line is right, and there is work to do.
std::optional<Ending> parse(CLI::App& app, int argc, const char* const* argv);

// A line on standard output; what of it comes from a server or a file is harmless there (odata/printable.h).
void say(const std::string& line);

// A command line that `app` could read, and that makes no sense.
Ending wrong_usage(const CLI::App& app, const std::string& sentence);

}  // namespace rocktable
