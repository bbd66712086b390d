// Options from the command line, variables and a file: precedence, errors, and the sources of values.
#include "server/program/options/configuration.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "server/program/server_command_line.h"
#include "tests/unit/server/program/environment.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

Invocation started_with(const std::vector<std::string>& words) {
  std::vector<const char*> argv{"rocktable"};
  for (const auto& word : words) argv.push_back(word.c_str());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

Options options_of(const std::vector<std::string>& words) {
  const Invocation invocation = started_with(words);
  INFO((invocation.ending ? invocation.ending->text : ""));
  REQUIRE_FALSE(invocation.ending.has_value());
  return invocation.options;
}

// The error message, without the program name and the hint to --help.
std::string refusal_of(const std::vector<std::string>& words) {
  const Invocation invocation = started_with(words);
  if (!invocation.ending) return "";
  CHECK(invocation.ending->exit_code == 2);
  const std::string& text = invocation.ending->text;
  const std::string before = "rocktable: ", behind = " (see rocktable --help)\n";
  REQUIRE(text.starts_with(before));
  REQUIRE(text.ends_with(behind));
  return text.substr(before.size(), text.size() - before.size() - behind.size());
}

// A file that --config can name.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text) { std::ofstream(path()) << text; }

  std::string path() const { return (folder_.path() / "rocktable.toml").string(); }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("An option's variable is its name in capitals, with an underscore before each of its own") {
  CHECK(variable_of("--tablePort") == "ROCKTABLE_TABLE_PORT");
  CHECK(variable_of("--inMemoryPersistence") == "ROCKTABLE_IN_MEMORY_PERSISTENCE");
  CHECK(variable_of("--disableProductStyleUrl") == "ROCKTABLE_DISABLE_PRODUCT_STYLE_URL");
  CHECK(variable_of("--tls") == "ROCKTABLE_TLS");
}

TEST_CASE("Each option can be given in three ways") {
  // The value, and its effect on the options.
  struct {
    const char *name, *value;
    bool (*is_set)(const Options&);
  } cases[] = {
      {"tableHost", "0.0.0.0", [](const Options& o) { return o.table_host == "0.0.0.0"; }},
      {"tablePort", "7000", [](const Options& o) { return o.table_port == 7000; }},
      {"readyFile", "ready", [](const Options& o) { return o.ready_file == "ready"; }},
      {"disableProductStyleUrl", "true", [](const Options& o) { return o.path_style_only; }},
      {"strictApiVersion", "true", [](const Options& o) { return o.strict_api_version; }},
      {"accounts", "file", [](const Options& o) { return o.accounts_file == "file"; }},
      {"anyAccount", "true", [](const Options& o) { return o.any_account; }},
      {"tls", "auto", [](const Options& o) { return o.tls_auto; }},
      {"controlToken", "secret", [](const Options& o) { return o.control_token == "secret"; }},
      {"explainAuth", "true", [](const Options& o) { return o.explain_auth; }},
      {"location", "a folder", [](const Options& o) { return o.location == "a folder"; }},
      {"inMemoryPersistence", "true", [](const Options& o) { return o.in_memory; }},
      {"sync", "true", [](const Options& o) { return o.sync; }},
      {"seed", "a, b", [](const Options& o) { return o.seed == "a, b"; }},
      {"silent", "true", [](const Options& o) { return o.silent; }},
      {"insightHeaders", "true", [](const Options& o) { return o.insight_headers; }},
      {"debug", "a#b", [](const Options& o) { return o.debug_file == "a#b"; }},
      {"compat", "azurite", [](const Options& o) { return o.compatibility == Compatibility::Azurite; }},
      {"maxConnections", "5", [](const Options& o) { return o.limits.max_connections == 5; }},
      {"bodyTimeout", "5", [](const Options& o) { return o.limits.body_timeout == 5; }},
      {"loose", "true", [](const Options& o) { return !o.silent; }},
      {"extentMemoryLimit", "50", [](const Options& o) { return !o.silent; }},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const std::string name = c.name, value = c.value;
    CHECK(c.is_set(options_of({"--" + name + "=" + value})));
    {
      const Environment variable(variable_of(name), c.value);
      const Options options = options_of({});
      CHECK(c.is_set(options));
      CHECK(options.value_sources.at("--" + name).place == variable_of(name));
    }
    const ConfigFile file(name + " = \"" + value + "\"\n");
    const Options options = options_of({"--config", file.path()});
    CHECK(c.is_set(options));
    CHECK(options.value_sources.at("--" + name).place == file.path() + ":1");
  }
  const Environment cert("ROCKTABLE_CERT", "c.pfx"), password("ROCKTABLE_PWD", "p"), oauth("ROCKTABLE_OAUTH", "basic");
  CHECK(options_of({}).certificate_password == "p");
  CHECK(options_of({}).bearer_tokens);
}

TEST_CASE("The command line comes before the variable, the variable before the file, the file before the default") {
  const ConfigFile file("tablePort = 3\nsilent = true\n");
  CHECK(options_of({}).table_port == 10002);
  CHECK(options_of({"--config", file.path()}).table_port == 3);
  CHECK(options_of({"--config", file.path()}).silent);
  const Environment port("ROCKTABLE_TABLE_PORT", "2"), silent("ROCKTABLE_SILENT", "false");
  CHECK(options_of({"--config", file.path()}).table_port == 2);
  CHECK_FALSE(options_of({"--config", file.path()}).silent);
  CHECK(options_of({"--tablePort", "1", "--config", file.path()}).table_port == 1);
  CHECK(options_of({"--silent", "--config", file.path()}).silent);
  CHECK(options_of({"--tablePort", "1"}).value_sources.count("--tablePort") == 0);
}

TEST_CASE("A variable may name the file, and the command line has precedence") {
  const ConfigFile one("tablePort = 1"), two("tablePort = 2");
  const Environment variable("ROCKTABLE_CONFIG", one.path().c_str());
  CHECK(options_of({}).table_port == 1);
  CHECK(options_of({"--config", two.path()}).table_port == 2);
  CHECK(options_of({"--config", one.path(), "--config", two.path()}).table_port == 2);
}

TEST_CASE("A value of a higher level hides those of lower levels, even invalid ones") {
  const Environment port("ROCKTABLE_TABLE_PORT", "none");
  CHECK(options_of({"--tablePort", "1"}).table_port == 1);
  const ConfigFile file("tablePort = many\n");
  const Environment good("ROCKTABLE_TABLE_PORT", "2");
  CHECK(options_of({"--config", file.path()}).table_port == 2);
}

TEST_CASE("Flags are true or false") {
  for (const char* text : {"true", "TRUE", "yes", "on", "1"}) {
    const Environment variable("ROCKTABLE_SYNC", text);
    CHECK(options_of({}).sync);
    CHECK(options_of({"--config", ConfigFile("sync = " + std::string(text)).path()}).sync);
  }
  for (const char* text : {"false", "no", "Off", "0"}) {
    const Environment variable("ROCKTABLE_SYNC", text);
    CHECK_FALSE(options_of({}).sync);
    CHECK(options_of({"--sync"}).sync);
  }
  const Environment nothing("ROCKTABLE_SYNC", "");
  CHECK_FALSE(options_of({}).sync);
  const ConfigFile alone("sync\n");
  CHECK(options_of({"--config", alone.path()}).sync);
}

TEST_CASE("A wrong value names its variable") {
  struct {
    const char *variable, *value, *sentence;
  } cases[] = {
      {"ROCKTABLE_TABLE_PORT", "65536", "--tablePort 65536: must be 0 to 65535 (ROCKTABLE_TABLE_PORT)"},
      {"ROCKTABLE_MAX_CONNECTIONS", "0", "--maxConnections 0: must be 1 to 1000000 (ROCKTABLE_MAX_CONNECTIONS)"},
      {"ROCKTABLE_SILENT", "maybe", "--silent maybe: must be true or false (ROCKTABLE_SILENT)"},
      {"ROCKTABLE_TLS", "manual", "--tls must be auto (ROCKTABLE_TLS)"},
      {"ROCKTABLE_COMPAT", "other", "--compat must be azurite or azurite-table (ROCKTABLE_COMPAT)"},
      {"ROCKTABLE_SEED_ACCOUNT", "mine", "--seedAccount needs an account name, and --seed (ROCKTABLE_SEED_ACCOUNT)"},
      {"ROCKTABLE_CONTROL_TOKEN", "two words",
       "--controlToken must consist of visible ASCII characters (ROCKTABLE_CONTROL_TOKEN)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.variable);
    const Environment variable(c.variable, c.value);
    CHECK(refusal_of({}) == c.sentence);
  }
  const Environment variable("ROCKTABLE_CONTROL_TOKEN", "env:ROCKTABLE_NOT_THERE");
  CHECK_THROWS_WITH_AS(started_with({}),
                       "--controlToken: the variable ROCKTABLE_NOT_THERE is not set (ROCKTABLE_CONTROL_TOKEN)",
                       std::runtime_error);
}

TEST_CASE("Errors in the file name file and line") {
  struct {
    const char *text, *sentence;
  } cases[] = {
      {"tablePort = many\n", "--tablePort many: must be 0 to 65535 (FILE:1)"},
      {"# a comment\n\ntlsMode = 1\n", "FILE:3: there is no option tlsMode"},
      {"tablePrt = 1\n", "FILE:1: there is no option tablePrt: did you mean tablePort?"},
      {"--tablePort = 1\n", "FILE:1: there is no option --tablePort: did you mean tablePort?"},
      {"silent = maybe\n", "--silent maybe: must be true or false (FILE:1)"},
      {"location = a folder\n", "FILE:1: location takes one value; put text with blanks or commas in quotes"},
      {"location = [\"a\", \"b\"]\n", "FILE:1: location takes one value; put text with blanks or commas in quotes"},
      {"location = \"a\n", "FILE:1: the quotes are not closed"},
      {"[server]\ntablePort = 1\n", "FILE:1: sections are not supported; write lines like tablePort = 10002"},
      {"server.tablePort = 1\n", "FILE:1: this is not an option; write lines like tablePort = 10002"},
      {"s\n", "FILE:1: this is not an option; write lines like tablePort = 10002"},
      {"help = true\n", "FILE:1: there is no option help"},
      {"config = other\n", "FILE:1: there is no option config"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const ConfigFile file(c.text);
    std::string expected = c.sentence;
    if (const auto at = expected.find("FILE"); at != std::string::npos) expected.replace(at, 4, file.path());
    CHECK(refusal_of({"--config", file.path()}) == expected);
  }
}

TEST_CASE("The last of two lines for an option counts; comments and blanks are ignored") {
  const ConfigFile file(
      "# first\n"
      "tablePort = 1  # the port\n"
      "\t tablePort=2\n"
      "; another comment\n"
      "location = 'it is # mine'\r\n"
      "debug=\"\"\n");
  const Options options = options_of({"--config", file.path()});
  CHECK(options.table_port == 2);
  CHECK(options.location == "it is # mine");
  CHECK(options.debug_file.empty());
}

TEST_CASE("An unreadable file is an error with name and reason") {
  const TemporaryFolder folder;
  const std::string absent = (folder.path() / "absent").string();
  CHECK_THROWS_WITH_AS(started_with({"--config", absent}),
                       ("--config: " + absent + " cannot be read: No such file or directory").c_str(),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(started_with({"--config", folder.path().string()}),
                       ("--config: " + folder.path().string() + " cannot be read: Is a directory").c_str(),
                       std::runtime_error);
  CHECK(refusal_of({"--config", ""}) == "--config needs a file");
}

TEST_CASE("The source is appended to a message that names an option or its value") {
  const ValueSources sources = {{"--tablePort", {"ROCKTABLE_TABLE_PORT", "7000"}},
                                {"--location", {"a.toml:3", "/data"}},
                                {"--maxConnections", {"a.toml:4", "1"}},
                                {"--tls", {"ROCKTABLE_TLS", "auto"}}};
  struct {
    const char *sentence, *expected;
  } cases[] = {
      {"--tablePort is wrong", "--tablePort is wrong (ROCKTABLE_TABLE_PORT)"},
      {"no --tablePort", "no --tablePort (--tablePort: ROCKTABLE_TABLE_PORT)"},
      {"127.0.0.1:7000 is taken", "127.0.0.1:7000 is taken (--tablePort: ROCKTABLE_TABLE_PORT)"},
      {"127.0.0.1:17000 is taken", "127.0.0.1:17000 is taken"},
      {"/data/__rocktable__ is in use", "/data/__rocktable__ is in use (--location: a.toml:3)"},
      {"1 of 2", "1 of 2"},
      {"--tlsName, automatic", "--tlsName, automatic"},
  };
  for (const auto& c : cases) CHECK(with_sources(c.sentence, sources) == c.expected);
}

TEST_CASE("Inside `rocktable exec` its token is not the server's") {
  const Environment token("ROCKTABLE_CONTROL_TOKEN", "secret");
  CHECK(options_of({}).control_token == "secret");
  const Environment url("ROCKTABLE_URL", "http://127.0.0.1:4000");
  CHECK(options_of({}).control_token == "secret");  // for example in a container that sets it for health checks
  CHECK(options_of({}).warnings.empty());
  const Environment endpoint("ROCKTABLE_ENDPOINT", "http://127.0.0.1:4000/devstoreaccount1"),
      port("ROCKTABLE_PORT", "4000");
  const Options options = options_of({});
  CHECK(options.control_token.empty());
  REQUIRE(options.warnings.size() == 1);
  CHECK(options.warnings.front() ==
        "ROCKTABLE_CONTROL_TOKEN belongs to the instance that `rocktable exec` started at "
        "http://127.0.0.1:4000; "
        "this server requires no token without --controlToken");
  CHECK(options_of({"--controlToken", "mine"}).control_token == "mine");
}

TEST_CASE("A mistyped variable is a warning") {
  const Environment variable("ROCKTABLE_TABLEPORT", "1"), other("ROCKTABLE_SOMETHING_ELSE", "1");
  const Options options = options_of({});
  REQUIRE(options.warnings.size() == 1);
  CHECK(options.warnings.front() == "the variable ROCKTABLE_TABLEPORT is unknown: did you mean ROCKTABLE_TABLE_PORT?");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
