#include "server/options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace rocktable {
namespace {

constexpr const char* kDescription =
    "rocktable: the Azure Table Storage service, emulated on this machine.\n"
    "Account devstoreaccount1 with its well-known key; UseDevelopmentStorage=true just works.";

constexpr std::array kOtherServices = {
    "--blobHost",  "--blobPort",  "--blobKeepAliveTimeout", "--extentMemoryLimit",
    "--queueHost", "--queuePort", "--queueKeepAliveTimeout"};

constexpr const char* kFooter =
    "  --blobHost --blobPort --blobKeepAliveTimeout --queueHost --queuePort --queueKeepAliveTimeout\n"
    "  --extentMemoryLimit                There is no blob and no queue service\n\n"
    "Exit codes: 0 stopped in order, 1 could not start, 2 wrong usage.\n"
    "Environment: AZURITE_SKIP_API_VERSION_CHECK and AZURITE_DB are accepted, and do nothing here.\n"
    "--cert --key --pwd --oauth and AZURITE_ACCOUNTS are known, and refused: they are not built yet.";

// Options that are accepted so that command lines for other emulators work, and then forgotten.
struct Ignored {
  std::string text;
  bool flag = false;
};

// What access needs and is not built: better no start than one without the protection that was asked for.
struct Unbuilt {
  std::optional<std::string> cert, key, password, oauth;

  std::optional<std::string> refusal() const {
    if (cert || key || password) return "HTTPS is not built yet: start without --cert, --key and --pwd";
    if (oauth) return "bearer tokens are not built yet: start without --oauth";
    const char* accounts = std::getenv("AZURITE_ACCOUNTS");
    if (accounts != nullptr && *accounts != '\0')
      return "accounts of your own are not built yet: start without AZURITE_ACCOUNTS in the environment";
    return std::nullopt;
  }
};

void add_options(CLI::App& app, Options& options) {
  const char* listening = "Listening";
  app.add_option("--tableHost", options.table_host, "Name or address to listen on [127.0.0.1 and ::1]")
      ->type_name("HOST")
      ->group(listening);
  app.add_option("--tablePort", options.table_port, "Port; 0 picks a free one [10002]")
      ->type_name("PORT")
      ->group(listening);
  app.add_option("--tableKeepAliveTimeout", options.keep_alive_timeout, "Close idle connections after [60]")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 86400).description(""))
      ->group(listening);
  app.add_option("--readyFile", options.ready_file, "Once ready write port, endpoint, ... to FILE as JSON")
      ->type_name("FILE")
      ->group(listening);
  app.add_flag("--disableProductStyleUrl", options.path_style_only,
               "Accounts in the path, never in the host name")
      ->group(listening);

  app.add_flag("--strictApiVersion", options.strict_api_version,
               "Refuse an x-ms-version that the service never had")
      ->group(listening);

  const char* data = "Data";
  app.add_option("-l,--location", options.location, "The store is the folder __rocktable__ in DIR [.]")
      ->type_name("DIR")
      ->group(data);
  app.add_flag("--inMemoryPersistence", options.in_memory, "Keep nothing on disk")->group(data);
  app.add_flag("--sync", options.sync, "Sync each write to the disk: survives power loss, too")->group(data);

  const char* logging = "Logging";
  app.add_flag("-s,--silent", options.silent, "No access log on standard output")->group(logging);
  app.add_flag("--insightHeaders", options.insight_headers,
               "Answer with x-rocktable-plan, -scanned, -returned: what it cost")
      ->group(logging);
  app.add_option("-d,--debug", options.debug_file, "Append a line for each request to FILE")
      ->type_name("FILE")
      ->group(logging);
}

// Accepted for drop-in use, without effect on tables.
void add_ignored(CLI::App& app, Ignored& ignored) {
  const char* group = "Accepted, and need do nothing here";
  app.add_flag("--skipApiVersionCheck", ignored.flag, "It is the default: see --strictApiVersion")
      ->group(group);
  app.add_flag("-L,--loose", ignored.flag, "Unknown headers are ignored anyway")->group(group);
  app.add_flag("--disableTelemetry", ignored.flag, "There is none")->group(group);
  for (const char* name : kOtherServices)
    app.add_option(name, ignored.text)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->group("");
}

void add_unbuilt(CLI::App& app, Unbuilt& unbuilt) {
  for (const auto& [name, value] :
       {std::pair{"--cert", &unbuilt.cert}, std::pair{"--key", &unbuilt.key},
        std::pair{"--pwd", &unbuilt.password}, std::pair{"--oauth", &unbuilt.oauth}})
    app.add_option(name, *value)->group("");
}

}  // namespace

Invocation parse_command_line(int argc, const char* const* argv) {
  Options options;
  Ignored ignored;
  Unbuilt unbuilt;
  CLI::App app(kDescription, "rocktable");
  app.footer(kFooter);
  app.get_formatter()->column_width(36);
  app.set_help_flag("-h,--help", "This page")->group("Other");
  app.set_version_flag("--version", std::string("rocktable ") + ROCKTABLE_VERSION)->group("Other");
  add_options(app, options);
  add_ignored(app, ignored);
  add_unbuilt(app, unbuilt);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream out, unused;
    app.exit(asked, out, unused);
    return {{}, out.str(), 0};
  } catch (const CLI::ParseError& error) {
    return {{}, "rocktable: " + std::string(error.what()) + " (see rocktable --help)\n", 2};
  }
  if (const auto refusal = unbuilt.refusal()) return {{}, "rocktable: " + *refusal + "\n", 2};
  if (options.in_memory && app.count("--location") > 0)
    options.warning = "--location is ignored: --inMemoryPersistence keeps nothing on disk";
  return {std::move(options), {}, 0};
}

}  // namespace rocktable
