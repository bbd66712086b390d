// The command line of the server: flags and values, ignored flags, errors, exit codes.
#include "server/program/server_command_line.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "server/program/version.h"
#include "tests/unit/server/program/environment.h"

namespace rocktable::TEST_FILE {
namespace {

Invocation parsed(std::initializer_list<const char*> arguments) {
  std::vector<const char*> argv{"rocktable"};
  argv.insert(argv.end(), arguments);
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

Options options_of(std::initializer_list<const char*> arguments) {
  const Invocation invocation = parsed(arguments);
  INFO((invocation.ending ? invocation.ending->text : ""));
  REQUIRE_FALSE(invocation.ending.has_value());
  return invocation.options;
}

void check_refused(std::initializer_list<const char*> arguments) {
  std::string line;
  for (const char* argument : arguments) line += std::string(" ") + argument;
  CAPTURE(line);
  const Invocation invocation = parsed(arguments);
  REQUIRE(invocation.ending.has_value());
  CHECK(invocation.ending->exit_code == 2);
  CHECK(invocation.ending->text.starts_with("rocktable: "));
  CHECK(invocation.ending->text.ends_with("\n"));
}

TEST_CASE("Without arguments everything has its default") {
  const Options options = options_of({});
  CHECK(options.table_host.empty());
  CHECK(options.table_port == 10002);
  CHECK(options.limits.keep_alive_timeout == 180);
  CHECK(options.limits.head_timeout == 30);
  CHECK(options.limits.body_timeout == 60);
  CHECK(options.limits.answer_timeout == 60);
  CHECK(options.limits.max_connections == 20'000);
  CHECK(options.limits.max_request_memory == 64);
  CHECK(options.limits.max_answer_memory == 256);
  CHECK(options.location == ".");
  CHECK_FALSE(options.in_memory);
  CHECK_FALSE(options.sync);
  CHECK_FALSE(options.silent);
  CHECK(options.debug_file.empty());
  CHECK(options.ready_file.empty());
  CHECK_FALSE(options.path_style_only);
  CHECK_FALSE(options.strict_api_version);
  CHECK(options.warnings.empty());
}

TEST_CASE("Each limit sets its option, and is at least one") {
  const Options options = options_of({"--headTimeout", "1", "--bodyTimeout", "2", "--answerTimeout", "3",
                                      "--maxConnections", "4", "--maxRequestMemory", "5", "--maxAnswerMemory", "6"});
  CHECK(options.limits.head_timeout == 1);
  CHECK(options.limits.body_timeout == 2);
  CHECK(options.limits.answer_timeout == 3);
  CHECK(options.limits.max_connections == 4);
  CHECK(options.limits.max_request_memory == 5);
  CHECK(options.limits.max_answer_memory == 6);
  for (const char* name : {"--headTimeout", "--bodyTimeout", "--answerTimeout", "--maxConnections",
                           "--maxRequestMemory", "--maxAnswerMemory"}) {
    for (const char* value : {"0", "-1", "x", "99999999999"}) check_refused({name, value});
  }
}

TEST_CASE("Each flag sets its option") {
  const Options options = options_of({"--tableHost", "0.0.0.0", "--tablePort", "0", "--tableKeepAliveTimeout", "5",
                                      "--location", "data", "--sync", "--silent", "--debug", "debug.log", "--readyFile",
                                      "ready", "--disableProductStyleUrl", "--strictApiVersion"});
  CHECK(options.table_host == "0.0.0.0");
  CHECK(options.table_port == 0);
  CHECK(options.limits.keep_alive_timeout == 5);
  CHECK(options.location == "data");
  CHECK_FALSE(options.in_memory);
  CHECK(options.sync);
  CHECK(options.silent);
  CHECK(options.debug_file == "debug.log");
  CHECK(options.ready_file == "ready");
  CHECK(options.path_style_only);
  CHECK(options.strict_api_version);
  CHECK(options.warnings.empty());
}

TEST_CASE("A trace has a file, and a limit of at least 4 MiB") {
  CHECK(options_of({}).trace_file.empty());
  CHECK(options_of({}).trace_limit == 64);
  const Options options = options_of({"--trace", "t.har", "--traceLimit", "4"});
  CHECK(options.trace_file == "t.har");
  CHECK(options.trace_limit == 4);
  check_refused({"--trace", ""});
  for (const char* value : {"3", "0", "-1", "x", "99999999999"})
    check_refused({"--trace", "t.har", "--traceLimit", value});
  check_refused({"--traceLimit", "4"});
}

TEST_CASE("Short flags and values after an equals sign are equivalent") {
  const Options options = options_of({"-l", "data", "-s", "-d", "log", "--tablePort=65535"});
  CHECK(options.location == "data");
  CHECK(options.silent);
  CHECK(options.debug_file == "log");
  CHECK(options.table_port == 65535);
}

TEST_CASE("In memory a location is ignored, with a warning") {
  CHECK(options_of({"--inMemoryPersistence"}).in_memory);
  CHECK(options_of({"--inMemoryPersistence"}).warnings.empty());
  for (const char* flag : {"-l", "--location"}) {
    const Options options = options_of({"--inMemoryPersistence", flag, "data"});
    CHECK(options.in_memory);
    REQUIRE(options.warnings.size() == 1);
    CHECK(options.warnings.front().find("--location") != std::string::npos);
    // The location holds the authority of --tls auto.
    CHECK(options_of({"--inMemoryPersistence", "--tls", "auto", flag, "data"}).warnings.empty());
  }
}

TEST_CASE("Flags of other emulators are accepted without effect") {
  const Environment skip("AZURITE_SKIP_API_VERSION_CHECK", "true"), db("AZURITE_DB", "mysql://x");
  const Options options = options_of({"--blobHost",
                                      "0.0.0.0",
                                      "--blobPort",
                                      "10000",
                                      "--blobKeepAliveTimeout",
                                      "5",
                                      "--queueHost",
                                      "0.0.0.0",
                                      "--queuePort",
                                      "10001",
                                      "--queueKeepAliveTimeout",
                                      "5",
                                      "--extentMemoryLimit",
                                      "100",
                                      "--blobPort",
                                      "1",
                                      "--skipApiVersionCheck",
                                      "-L",
                                      "--disableTelemetry",
                                      "--tablePort",
                                      "1"});
  CHECK(options.table_port == 1);
  CHECK(options_of({"--loose", "--loose"}).table_port == 10002);
}

Options called(const char* program, std::initializer_list<const char*> arguments) {
  std::vector<const char*> argv{program};
  argv.insert(argv.end(), arguments);
  const Invocation invocation = parse_command_line(static_cast<int>(argv.size()), argv.data());
  REQUIRE_FALSE(invocation.ending.has_value());
  return invocation.options;
}

TEST_CASE("With --compat azurite the ports of the other services count") {
  CHECK(options_of({}).compatibility == Compatibility::None);
  const Options defaults = options_of({"--compat", "azurite"});
  CHECK(defaults.compatibility == Compatibility::Azurite);
  CHECK(defaults.blob_port == 10000);
  CHECK(defaults.queue_port == 10001);
  CHECK(defaults.table_port == 10002);
  const Options options = options_of({"--blobHost", "0.0.0.0", "--blobPort", "1", "--compat", "azurite", "--queueHost",
                                      "::", "--queuePort", "0", "--blobPort", "2"});
  CHECK(options.blob_host == "0.0.0.0");
  CHECK(options.blob_port == 2);
  CHECK(options.queue_host == "::");
  CHECK(options.queue_port == 0);
  CHECK(options_of({"--compat", "azurite-table", "--blobPort", "none"}).compatibility == Compatibility::AzuriteTable);
  for (const char* port : {"", "-1", "65536", "1x", "none"}) {
    check_refused({"--compat", "azurite", "--blobPort", port});
    check_refused({"--compat", "azurite", "--queuePort", port});
  }
  check_refused({"--compat", "azurite-blob"});
  check_refused({"--compat="});
}

TEST_CASE("With a companion or an upstream the ports of the other services count") {
  CHECK_FALSE(options_of({"--blobPort", "none"}).with_azurite);
  const Options companion = options_of({"--with", "azurite", "--blobPort", "5", "--queueHost", "::"});
  CHECK(companion.with_azurite);
  CHECK(companion.compatibility == Compatibility::None);
  CHECK(companion.blob_port == 5);
  CHECK(companion.queue_host == "::");
  const Options relay = options_of({"--queueUpstream", "http://[::1]:20001/", "--queuePort", "6"});
  CHECK(relay.queue_upstream == "http://[::1]:20001");
  CHECK(relay.blob_upstream.empty());
  CHECK(relay.queue_port == 6);
  check_refused({"--with", "azurite", "--blobPort", "none"});
  check_refused({"--with="});
  check_refused({"--with", "azurite", "--queueUpstream", "http://h"});
  check_refused({"--blobUpstream", "http://h", "--blobPort", "none"});
}

TEST_CASE("Identities need HTTPS, and turn bearer tokens on") {
  const Options options =
      options_of({"--tls", "auto", "--identity", "alice=Reader, Storage Table Data Reader shop/orders", "--identity",
                  "bob", "--identityPort", "7"});
  REQUIRE(options.identities.size() == 2);
  CHECK(options.bearer_tokens);
  CHECK(options.identity_port == 7);
  CHECK(options.identities[0].name == "alice");
  CHECK(options.identities[0].roles == std::vector<std::string>{"Reader", "Storage Table Data Reader shop/orders"});
  CHECK(options.identities[1].name == "bob");
  CHECK(options.identities[1].roles.empty());
  CHECK(options_of({"--cert", "c", "--key", "k", "--identity", "a"}).bearer_tokens);
  check_refused({"--identity", "alice"});
  for (const char* text : {"", "=", "alice=", "alice=Reader,", "alice=,Reader", "a b"})
    check_refused({"--tls", "auto", "--identity", text});
  check_refused({"--tls", "auto", "--identity", "a", "--identity", "a=Reader"});
  check_refused({"--tls", "auto", "--identityPort", "7"});
}

TEST_CASE("A program with the name of an Azurite program is compatible with it") {
  CHECK(called("azurite", {}).compatibility == Compatibility::Azurite);
  CHECK(called("/usr/local/bin/azurite", {"--blobPort", "5"}).blob_port == 5);
  CHECK(called("./azurite-table", {}).compatibility == Compatibility::AzuriteTable);
  CHECK(called("azurite", {"--compat", "azurite-table"}).compatibility == Compatibility::AzuriteTable);
  CHECK(called("azurite-blob", {}).compatibility == Compatibility::None);
  CHECK(called("azurite/rocktable", {}).compatibility == Compatibility::None);
}

TEST_CASE("HTTPS uses a certificate with key, a PFX with password, or creates a certificate") {
  const Options pem = options_of({"--cert", "cert.pem", "--key", "key.pem"});
  CHECK(pem.certificate_file == "cert.pem");
  CHECK(pem.private_key_file == "key.pem");
  CHECK_FALSE(pem.tls_auto);
  const Options pfx = options_of({"--cert", "cert.pfx", "--pwd", ""});
  CHECK(pfx.certificate_file == "cert.pfx");
  CHECK(pfx.private_key_file.empty());
  CHECK(options_of({"--cert", "cert.pfx", "--pwd", "secret"}).certificate_password == "secret");
  CHECK(options_of({"--tls", "auto"}).tls_auto);
}

TEST_CASE("The certificate of --tls auto has further names, one option each") {
  CHECK(options_of({"--tls", "auto"}).tls_names.empty());
  const Options options =
      options_of({"--tlsName", "*.table.core.windows.net", "--tls", "auto", "--tlsName", "10.1.2.3"});
  CHECK(options.tls_names == std::vector<std::string>{"*.table.core.windows.net", "10.1.2.3"});
  check_refused({"--tls", "auto", "--tlsName", "one.test", "two.test"});
  check_refused({"--tls", "auto", "--tlsName", "https://one.test"});
  check_refused({"--tls", "auto", "--tlsName="});
  check_refused({"--tlsName", "one.test"});
  check_refused({"--cert", "cert.pem", "--key", "key.pem", "--tlsName", "one.test"});
}

// The server must not start without the requested protection.
TEST_CASE("Incomplete options for HTTPS are refused") {
  check_refused({"--cert", "cert.pem"});
  check_refused({"--key", "key.pem"});
  check_refused({"--pwd", "secret"});
  check_refused({"--cert", "cert.pem", "--key", "key.pem", "--pwd", "secret"});
  check_refused({"--cert", "", "--pwd", "secret"});
  check_refused({"--cert", "cert.pem", "--key", ""});
  check_refused({"--tls", "manual"});
  check_refused({"--tls="});
  check_refused({"--tls", "auto", "--cert", "cert.pem", "--key", "key.pem"});
  // The error message does not contain the secret.
  CHECK(parsed({"--pwd", "secret"}).ending->text.find("secret") == std::string::npos);
}

TEST_CASE("Bearer tokens need HTTPS") {
  CHECK(options_of({"--tls", "auto", "--oauth", "basic"}).bearer_tokens);
  CHECK(options_of({"--cert", "c", "--pwd", "p", "--oauth", "basic"}).bearer_tokens);
  CHECK_FALSE(options_of({"--tls", "auto"}).bearer_tokens);
  check_refused({"--oauth", "basic"});
  check_refused({"--tls", "auto", "--oauth", "full"});
  check_refused({"--tls", "auto", "--oauth="});
  CHECK(options_of({"--tls", "auto", "--oauth", "basic", "--roles", "r"}).roles_file == "r");
  check_refused({"--tls", "auto", "--roles", "r"});
  check_refused({"--tls", "auto", "--oauth", "basic", "--roles="});
  CHECK(options_of({"--tls", "auto", "--oauth", "basic", "--identitySecret", "sixteen letters!"}).identity_secret ==
        "sixteen letters!");
  check_refused({"--tls", "auto", "--identitySecret", "sixteen letters!"});
  check_refused({"--tls", "auto", "--oauth", "basic", "--identitySecret", "fifteen letters"});
}

TEST_CASE("Accounts and the control token are stored unchanged") {
  const Options options = options_of({"--accounts", "file", "--anyAccount", "--controlToken", "a.b-c~d"});
  CHECK(options.accounts_file == "file");
  CHECK(options.any_account);
  CHECK(options.control_token == "a.b-c~d");
  CHECK_FALSE(options_of({}).any_account);
  check_refused({"--accounts="});
}

TEST_CASE("A seed is a file or a folder, and may be another account's") {
  CHECK(options_of({}).seed.empty());
  CHECK(options_of({"--seed", "dir"}).seed_account.empty());
  const Options options = options_of({"--seed", "dir", "--seedAccount", "mine"});
  CHECK(options.seed == "dir");
  CHECK(options.seed_account == "mine");
  check_refused({"--seed="});
  check_refused({"--seedAccount", "mine"});
  check_refused({"--seed", "dir", "--seedAccount", "Not-One"});
}

// An empty token, for example from an unset variable, would disable the protection.
TEST_CASE("A control token that no header can carry is refused, and not repeated in the message") {
  for (const char* token : {"", " ", "secret words", "secret\n", "\xC3\xA4secret"}) {
    CAPTURE(token);
    check_refused({"--controlToken", token});
    CHECK(parsed({"--controlToken", token}).ending->text.find("cret") == std::string::npos);
  }
}

TEST_CASE("The URL of a store that libpq would misread is refused, and not repeated in the message") {
  for (const char* url : {"u:sec/ret@host/data", "u:TOP@secret@host/db", "u:50%zzsecret@host", "u:secret@[::1/x",
                          "u:secret/c?a=b@host", "u:secret"}) {
    CAPTURE(url);
    const std::string option = std::string("postgresql://") + url;
    check_refused({"--store", option.c_str()});
    CHECK(parsed({"--store", option.c_str()}).ending->text.find("cret") == std::string::npos);
  }
}

TEST_CASE("The control token and a certificate's password may be in a variable") {
  {
    const Environment secret("ROCKTABLE_TEST_SECRET", "open-sesame");
    const Options options = options_of(
        {"--controlToken", "env:ROCKTABLE_TEST_SECRET", "--cert", "c.pfx", "--pwd", "env:ROCKTABLE_TEST_SECRET"});
    CHECK(options.control_token == "open-sesame");
    CHECK(options.certificate_password == "open-sesame");
  }
  {
    const Environment secret("ROCKTABLE_TEST_SECRET", "no header carries this");
    check_refused({"--controlToken", "env:ROCKTABLE_TEST_SECRET"});
  }
  CHECK_THROWS_WITH_AS(options_of({"--controlToken", "env:ROCKTABLE_TEST_SECRET"}),
                       "--controlToken: the variable ROCKTABLE_TEST_SECRET is not set", std::runtime_error);
}

TEST_CASE("The last value of a repeated option counts") {
  CHECK(options_of({"--tablePort", "1", "--tablePort", "2"}).table_port == 2);
  CHECK(options_of({"--tablePort", "none", "--tablePort", "2"}).table_port == 2);
  CHECK(options_of({"--maxConnections", "0", "--maxConnections", "2"}).limits.max_connections == 2);
  CHECK(options_of({"--seed", "one", "--seed", "two"}).seed == "two");
  CHECK(options_of({"--tableHost", "a", "-l", "x", "--tableHost", "b", "--location", "y"}).location == "y");
  CHECK(options_of({"--tableHost", "a", "--tableHost", "b"}).table_host == "b");
  CHECK(options_of({"--tls", "manual", "--tls", "auto"}).tls_auto);
  CHECK(options_of({"--controlToken", "a", "--controlToken", "b"}).control_token == "b");
  CHECK(options_of({"--compat", "azurite", "--compat", "azurite-table"}).compatibility == Compatibility::AzuriteTable);
  check_refused({"--tablePort", "2", "--tablePort", "none"});
}

TEST_CASE("The word azurite has the effect of --compat, also after options") {
  CHECK(options_of({"azurite"}).compatibility == Compatibility::Azurite);
  CHECK(options_of({"azurite-table", "--tablePort", "1"}).compatibility == Compatibility::AzuriteTable);
  CHECK(called("azurite", {"azurite"}).compatibility == Compatibility::Azurite);
  CHECK(called("azurite", {"azurite-table"}).compatibility == Compatibility::AzuriteTable);
  const Options options = options_of({"--tableHost", "0.0.0.0", "azurite", "-l", "/data", "--blobHost", "0.0.0.0",
                                      "--queueHost", "0.0.0.0", "--tableHost", "127.0.0.1", "--skipApiVersionCheck"});
  CHECK(options.compatibility == Compatibility::Azurite);
  CHECK(options.location == "/data");
  CHECK(options.table_host == "127.0.0.1");
  check_refused({"azurite-blob"});
  check_refused({"azurite", "more"});
}

TEST_CASE("help, version and -v work as word and as flag") {
  for (const char* word : {"version", "-v", "--version"}) {
    CAPTURE(word);
    CHECK(parsed({word}).ending->text == version_report() + "\n");
    CHECK(parsed({"--tableHost", "0.0.0.0", word}).ending->text == version_report() + "\n");
  }
  CHECK(parsed({"help"}).help == std::vector<std::string>());
  CHECK(parsed({"--tableHost", "0.0.0.0", "help", "snapshot", "take"}).help ==
        std::vector<std::string>{"snapshot", "take"});
}

TEST_CASE("The error of a mistyped option or command names the nearest one") {
  struct {
    std::initializer_list<const char*> arguments;
    const char* sentence;
  } cases[] = {
      {{"--tablePrt", "1"}, "there is no option --tablePrt: did you mean --tablePort?"},
      {{"--tableport", "1"}, "there is no option --tableport: did you mean --tablePort?"},
      {{"--controlTokn=secret"}, "there is no option --controlTokn: did you mean --controlToken?"},
      {{"--blobPrt", "1"}, "there is no option --blobPrt: did you mean --blobPort?"},
      {{"--port", "1"}, "there is no option --port: did you mean --tablePort?"},
      {{"--nonsense"}, "there is no option --nonsense"},
      {{"-Z"}, "there is no option -Z"},
      {{"snapshto"}, "there is no command snapshto: did you mean snapshot?"},
      {{"snapshto", "take", "--replace", "x"}, "there is no command snapshto: did you mean snapshot?"},
      {{"surplus"}, "there is no command surplus"},
      {{"azurit"}, "there is no command azurit: did you mean azurite?"},
      {{"--silent", "reset"}, "reset is a command and must come before all options: rocktable reset"},
      {{"azurite-queue"}, "there is no azurite-queue: rocktable serves only tables; `azurite` opens all three ports"},
  };
  for (const auto& c : cases) {
    const Invocation invocation = parsed(c.arguments);
    REQUIRE(invocation.ending.has_value());
    CHECK(invocation.ending->text == "rocktable: " + std::string(c.sentence) + " (see rocktable --help)\n");
  }
}

TEST_CASE("The error of a number out of range names the range") {
  struct {
    std::initializer_list<const char*> arguments;
    const char* sentence;
  } cases[] = {
      {{"--maxConnections", "0"}, "--maxConnections 0: must be 1 to 1000000"},
      {{"--tablePort", "many"}, "--tablePort many: must be 0 to 65535"},
      {{"--tablePort="}, "--tablePort needs a value: PORT"},
      {{"--tableKeepAliveTimeout", "86401"}, "--tableKeepAliveTimeout 86401: must be 0 to 86400"},
      {{"--maxAnswerMemory", "1.5"}, "--maxAnswerMemory 1.5: must be 1 to 1048576"},
      {{"--compat", "azurite", "--blobPort", "-1"}, "--blobPort -1: must be 0 to 65535"},
      {{"azurite", "--queuePort", "65536"}, "--queuePort 65536: must be 0 to 65535"},
  };
  for (const auto& c : cases) {
    const Invocation invocation = parsed(c.arguments);
    REQUIRE(invocation.ending.has_value());
    CHECK(invocation.ending->text == "rocktable: " + std::string(c.sentence) + " (see rocktable --help)\n");
  }
}

TEST_CASE("Wrong usage ends with exit code 2 and a message") {
  check_refused({"--noSuchFlag"});
  check_refused({"stray"});
  check_refused({"--tablePort"});
  check_refused({"--tablePort", "65536"});
  check_refused({"--tablePort", "-1"});
  check_refused({"--tablePort", "table"});
  check_refused({"--tableKeepAliveTimeout", "-1"});
  check_refused({"--tableKeepAliveTimeout", "86401"});
  check_refused({"--location"});
  check_refused({"--tableport", "1"});
  CHECK(options_of({"--tableKeepAliveTimeout", "1"}).limits.keep_alive_timeout == 1);
  const auto as_in_azurite = options_of({"--tableKeepAliveTimeout", "0"}).limits;
  CHECK(timeouts_of(as_in_azurite).keep_alive == timeouts_of(ClientLimits()).keep_alive);
  CHECK(options_of({"--tableKeepAliveTimeout", "86400"}).limits.keep_alive_timeout == 86400);
}

TEST_CASE("--version and --help print to standard output and end with 0") {
  const Invocation version = parsed({"--version"});
  REQUIRE(version.ending.has_value());
  CHECK(version.ending->exit_code == 0);
  CHECK(version.ending->text == version_report() + "\n");
  for (const char* flag : {"-h", "--help"}) {
    const Invocation help = parsed({flag});
    REQUIRE(help.ending.has_value());
    CHECK(help.ending->exit_code == 0);
    for (const char* name : {"--tableHost",
                             "--tablePort",
                             "--tableKeepAliveTimeout",
                             "--readyFile",
                             "--disableProductStyleUrl",
                             "--strictApiVersion",
                             "--location",
                             "--inMemoryPersistence",
                             "--sync",
                             "--silent",
                             "--debug",
                             "--trace",
                             "--traceLimit",
                             "--skipApiVersionCheck",
                             "--compat",
                             "--loose",
                             "--disableTelemetry",
                             "--blobPort",
                             "--queuePort",
                             "--extentMemoryLimit",
                             "--seed",
                             "--seedAccount",
                             "--accounts",
                             "--anyAccount",
                             "--tls",
                             "--tlsName",
                             "--cert",
                             "--key",
                             "--pwd",
                             "--oauth",
                             "--controlToken",
                             "--explainAuth",
                             "--version",
                             "--config",
                             "ROCKTABLE_TABLE_PORT",
                             "rocktable help COMMAND",
                             "exec -- COMMAND",
                             "healthcheck",
                             "repair DIR"}) {
      CAPTURE(name);
      CHECK(help.ending->text.find(name) != std::string::npos);
    }
    std::istringstream lines(help.ending->text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
