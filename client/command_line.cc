#include "client/command_line.h"

#include <iostream>
#include <sstream>

#include "odata/printable.h"

namespace rocktable {

int Ending::tell() const {
  (exit_code == kDone ? std::cout : std::cerr) << text;
  return exit_code;
}

std::optional<Ending> parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream out, unused;
    app.exit(asked, out, unused);
    return Ending{out.str(), kDone};
  } catch (const CLI::ParseError& error) {
    return wrong_usage(app, error.what());
  }
  return std::nullopt;
}

void say(const std::string& line) { std::cout << printable(line) << '\n'; }

Ending wrong_usage(const CLI::App& app, const std::string& sentence) {
  return {"rocktable: " + printable(sentence) + " (see " + app.get_name() + " --help)\n", kWrongUsage};
}

}  // namespace rocktable
