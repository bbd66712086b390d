#include "server/program/server_command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "server/program/commands.h"
#include "server/program/version.h"

namespace rocktable {
namespace {

constexpr std::size_t kServerHelpColumn = 35;

constexpr const char* kDescription =
    "rocktable: the Azure Table Storage service, emulated on this machine.\n"
    "Account devstoreaccount1, well-known key; UseDevelopmentStorage=true works.";

constexpr const char* kUsage =
    "Usage: rocktable [OPTIONS]            starts the service\n"
    "       rocktable azurite [OPTIONS]    replaces azurite; azurite-table likewise\n"
    "       rocktable COMMAND ...          runs a command: rocktable help COMMAND\n";

constexpr const char* kOtherServicesHelp =
    "  --blobKeepAliveTimeout --queueKeepAliveTimeout --extentMemoryLimit\n"
    "  --blobHost --blobPort --queueHost --queuePort, if nobody serves blobs and queues\n\n";

constexpr const char* kServerFooter =
    "\nEvery option can be set in three ways; the first in this list counts:\n"
    "  --tablePort 7000 --silent        command line; if repeated, the last one wins\n"
    "  ROCKTABLE_TABLE_PORT=7000        the environment; ROCKTABLE_SILENT=true for a flag\n"
    "  tablePort = 7000                 a line of --config FILE; silent = true for a flag\n"
    "\nTOKEN and the TEXT of --pwd may be @FILE or env:NAME: the content of that file or variable.\n"
    "The variable AZURITE_ACCOUNTS=\"NAME:KEY[:KEY];...\" replaces devstoreaccount1 by these accounts;"
    " AZURITE_SKIP_API_VERSION_CHECK and AZURITE_DB are accepted and have no effect.\n"
    "Exit codes: 0 clean shutdown, 1 could not start, 2 wrong usage.";

std::string command_lines() {
  std::string text = "Commands, instead of the server (rocktable help NAME):\n";
  for (const auto& command : commands()) {
    std::string left = std::string("  ") + command.name + " " + command.arguments;
    left.resize(std::max<std::size_t>(left.size() + 1, kServerHelpColumn), ' ');
    text += left + command.summary + "\n";
  }
  return text;
}

// Replaces the usage line of CLI11, which would list the positional words as options.
class HelpPage : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override { return kUsage; }
};

class ServerCommandLine {
 public:
  explicit ServerCommandLine(const Options& defaults) : app_(kDescription, "rocktable"), flags_(app_, defaults) {
    app_.formatter(std::make_shared<HelpPage>());
    app_.get_formatter()->column_width(kServerHelpColumn);
    app_.footer(kOtherServicesHelp + command_lines() + kServerFooter);
    app_.set_help_flag("-h,--help", "Show this page")->group("Other");
    app_.set_version_flag("-v,--version", version_report, "Show the version")->group("Other");
    app_.add_option("COMMAND", words_)->configurable(false)->group("");
  }

  Invocation parse(int argc, const char* const* argv) {
    auto ending = rocktable::parse(app_, argc, argv);
    // After a mistyped command, its options are unknown as well: report the command.
    const bool word_is_wrong = ending && ending->exit_code == kExitUsage && !words_.empty() &&
                               argv[1] == words_.front() && !parse_compatibility(words_.front());
    if (ending && !word_is_wrong) return {{}, std::move(ending)};
    if (!words_.empty())
      if (auto other = handle_words()) return *std::move(other);
    return flags_.read(ServerFlags::Variables::Read);
  }

 private:
  // Returns nullopt if a server is to be started.
  std::optional<Invocation> handle_words() {
    const std::string word = words_.front();
    if (word == "help") return Invocation{{}, {}, std::vector(words_.begin() + 1, words_.end())};
    if (word == "version") return Invocation{{}, CommandResult{version_report() + "\n", kExitSuccess}};
    if (!parse_compatibility(word)) return Invocation{{}, usage_error(app_, word_error(word))};
    if (words_.size() > 1) return Invocation{{}, usage_error(app_, "unexpected argument " + words_.at(1))};
    flags_.set_compatible(word);
    return std::nullopt;
  }

  static std::string word_error(const std::string& word) {
    std::vector<std::string> known{"help", "version", "azurite", "azurite-table"};
    for (const auto& command : commands()) {
      if (word == command.name)
        return std::string(word).append(" is a command and must come before all options: rocktable ").append(word);
      known.emplace_back(command.name);
    }
    if (word == "azurite-blob" || word == "azurite-queue")
      return "there is no " + word + ": rocktable serves only tables; `azurite` opens all three ports";
    return unknown_word_message("command", word, known);
  }

  CLI::App app_;
  ServerFlags flags_;
  std::vector<std::string> words_;
};

}  // namespace

Invocation parse_command_line(int argc, const char* const* argv) {
  Options defaults;  // by the name of the program, on some systems with an extension
  defaults.compatibility =
      parse_compatibility(std::filesystem::path(argv[0]).stem().string()).value_or(Compatibility::None);
  return ServerCommandLine(defaults).parse(argc, argv);
}

}  // namespace rocktable
