#include "client/commands/sas_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "client/account_argument.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/http_url.h"
#include "client/secret.h"
#include "client/shared_access/delegation_key_request.h"
#include "client/usage_error.h"
#include "odata/shared_access/sas_maker.h"

namespace rocktable {
namespace {

struct SasFlags {
  SasWish wish;
  std::string connection;  // table and account
  std::string endpoint;    // user
  std::string token;
  std::string ca_file;
};

// The endpoint of an account, and the account's name.
struct SasAccount {
  HttpUrl url;
  std::string name;
};

// The account is the last segment of the path, else the first label of the host.
SasAccount account_of_endpoint(const std::string& text) {
  SasAccount out;
  try {
    out.url = parse_http_url(text);
  } catch (const UrlError& error) {
    throw UsageError(std::string("--endpoint: ") + error.what());
  }
  if (!out.url.secure) throw UsageError("--endpoint must begin with https://: a token must not be sent over HTTP");
  while (out.url.path.ends_with('/')) out.url.path.pop_back();
  out.url.query.clear();
  out.name = out.url.path.empty() ? out.url.host.substr(0, out.url.host.find('.'))
                                  : out.url.path.substr(out.url.path.rfind('/') + 1);
  constexpr std::string_view kSecondary = "-secondary";
  if (out.name.ends_with(kSecondary)) out.name.resize(out.name.size() - kSecondary.size());
  return out;
}

int print_sas(const SasParameters& sas, const SasAccount& account, const CommandOutput& output) {
  const std::string query = to_query(sas), address = account.url.origin() + account.url.path;
  const std::string url = address + (sas.is_account_sas() ? "/" : "/" + sas.table) + "?" + query;
  output.print_line(url);
  output.print_line("It " + allowed_by(sas) + ".");
  output.print_document({{"url", url},
                         {"sharedAccessSignature", query},
                         {"connectionString", "TableEndpoint=" + address + ";SharedAccessSignature=" + query},
                         {"allows", allowed_by(sas)},
                         {"stringToSign", sas_string_to_sign(sas, account.name).value()}});
  return kExitSuccess;
}

int make_by_account_key(const SasFlags& flags, const CommandOutput& output) {
  const TableEndpoint account = resolve_account(flags.connection, "--connectionString");
  if (account.account_key.empty()) throw UsageError("--connectionString has no account key, which signs the signature");
  SasParameters sas = parameters_of(flags.wish, now());
  sign_sas(sas, account.account_name, account.account_key);
  return print_sas(sas, {account.url, account.account_name}, output);
}

int make_by_user_delegation_key(const SasFlags& flags, const CommandOutput& output) {
  if (flags.endpoint.empty()) throw UsageError("--endpoint is missing: the URL of the account's tables");
  if (flags.token.empty()) throw UsageError("--token is missing: a bearer token, @FILE or env:NAME");
  const SasAccount account = account_of_endpoint(flags.endpoint);
  SasParameters sas = parameters_of(flags.wish, now());
  const std::string key = request_delegation_key(sas, account.url, read_secret(flags.token, "--token"), sas.expiry,
                                                 {.certificate_authority_file = flags.ca_file});
  sign_sas(sas, account.name, key);
  return print_sas(sas, account, output);
}

void add_common_flags(CLI::App& app, SasWish& wish) {
  app.add_option("--permissions", wish.permissions, "Letters, see below")->type_name("LETTERS");
  app.add_option("--expiry", wish.expiry, "Duration from now, or a time [1h]")->type_name("TIME");
  app.add_option("--start", wish.start, "Duration from now, or a time [now]")->type_name("TIME");
  app.add_option("--ip", wish.ip, "Only from this address or range A-B")->type_name("ADDRESS");
  app.add_flag("--httpsOnly", wish.https_only, "Only over HTTPS");
}

void add_key_flags(CLI::App& app, SasWish& wish) {
  for (const auto& [flag, value, text] :
       {std::tuple{"--fromPartition", &wish.start_partition_key, "First PartitionKey"},
        {"--fromRow", &wish.start_row_key, "First RowKey, within the first partition"},
        {"--toPartition", &wish.end_partition_key, "Last PartitionKey"},
        {"--toRow", &wish.end_row_key, "Last RowKey, within the last partition"}})
    app.add_option_function<std::string>(
           flag, [value = value](const std::string& key) { *value = key; }, text)
        ->type_name("KEY");
}

constexpr const char* kAboutTableLetters =
    "\nPermissions: r read, a add, u update, d delete entities. Insert-or-replace\nand insert-or-merge need a and u.\n";

}  // namespace

int run_sas(int argc, const char* const* argv) {
  CLI::App app(
      "rocktable sas table|account|user\n"
      "Makes a shared access signature, and says what it allows.",
      "rocktable sas");
  SasFlags flags;
  CommandOutput output;
  app.require_subcommand(1);
  app.get_formatter()->column_width(kHelpColumn);
  const auto add = [&](const char* name, const char* text, SasWish::Kind kind) {
    auto* const command = app.add_subcommand(name, text);
    command->callback([&flags, kind] { flags.wish.kind = kind; });
    if (kind != SasWish::Kind::Account)
      command->add_option("TABLE", flags.wish.table, "The table")->type_name("")->required();
    add_common_flags(*command, flags.wish);
    if (kind != SasWish::Kind::Account) add_key_flags(*command, flags.wish);
    if (kind != SasWish::Kind::User)
      command->add_option("--connectionString", flags.connection, "The account, with its key")->type_name("CONN");
    output.add_flag(*command);
    return command;
  };
  auto* const table = add("table", "For entities of a table, signed with the account's key", SasWish::Kind::Table);
  table->add_option("--policy", flags.wish.policy, "Id of a stored access policy of the table")->type_name("ID");
  table->footer(std::string(kAboutTableLetters) + "\n" + kAboutConnections + kAboutSecrets);
  auto* const account = add("account", "For all tables, signed with the account's key", SasWish::Kind::Account);
  account->add_option("--types", flags.wish.resource_types, "s service, c tables, o entities")->type_name("LETTERS");
  account->footer(std::string("\nPermissions: r read, w write, d delete, l list, a add, c create, u update.\n\n") +
                  kAboutConnections + kAboutSecrets);
  auto* const user = add("user", "For entities of a table, signed with a user delegation key", SasWish::Kind::User);
  user->add_option("--endpoint", flags.endpoint, "URL of the account, https://")
      ->type_name("URL")
      ->envname("ROCKTABLE_ENDPOINT");
  user->add_option("--token", flags.token, "Bearer token of the key's owner")->type_name("TOKEN");
  user->add_option("--user", flags.wish.user_object_id, "Object id of the only user")->type_name("OID");
  user->add_option("--caFile", flags.ca_file, "Additional trusted certificates")
      ->type_name("FILE")
      ->envname("ROCKTABLE_CA_FILE");
  user->footer(std::string(kAboutTableLetters) + "\n" + kAboutSecrets);
  return run_command(app, argc, argv, output, [&] {
    try {
      return flags.wish.kind == SasWish::Kind::User ? make_by_user_delegation_key(flags, output)
                                                    : make_by_account_key(flags, output);
    } catch (const SasWishError& error) {
      throw UsageError(std::string("--") + error.what());
    }
  });
}

}  // namespace rocktable
