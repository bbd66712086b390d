#include "storage/postgres/store_schema.h"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <random>

#include "base/text.h"
#include "storage/postgres/database/pg_connection.h"
#include "storage/postgres/database/pg_retry_policy.h"
#include "storage/postgres/database/statements.h"
#include "storage/store_error.h"

namespace rocktable {
namespace {

constexpr std::string_view kBeforeHost = "://";

std::int64_t number_in(std::string_view text) {
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

StoreError not_our_tables() { return StoreError("its tables are not those of rocktable"); }

bool has_schema(PgConnection& connection) {
  bool has_contents = false;
  const auto failure = attempt(
      [&] { has_contents = connection.query("SELECT 1 FROM rocktable_meta WHERE name = 'contents'").size() == 1; });
  if (!failure) return has_contents;
  const std::string state = failure->error() != nullptr ? failure->error()->state() : "";
  if (state == "42P01") return false;            // there is no such table
  if (state == "42703") throw not_our_tables();  // no such column
  failure->raise();
}

std::int64_t number_of(PgConnection& connection, const std::string& sql) {
  const PgRows rows = connection.query(sql);
  return rows.size() == 1 ? number_in(rows.bytes(0, 0)) : 0;
}

// Where the database has Citus, the tables are spread over its nodes.
PgLayout layout_of_new(PgConnection& connection) {
  if (number_of(connection, "SELECT 1 FROM pg_extension WHERE extname = 'citus'") == 0) return PgLayout::Plain;
  if (number_of(connection, "SELECT groupid FROM pg_dist_local_group") != 0)
    throw StoreError(
        "it has no tables of rocktable yet, and only the coordinator of Citus can make them: the first "
        "start needs its URL");
  return PgLayout::Distributed;
}

// Two front ends that begin at once may meet: then one finds what the other has made.
void make_schema(PgConnection& connection, PgHealth& health, PgDeadline deadline) {
  const std::string sql = schema_sql(layout_of_new(connection));
  for (PgRetryPolicy retry(health, deadline);;) {
    const auto failure = attempt([&] { connection.run_script(sql); });
    if (!failure) return;
    const PgError* const error = failure->error();
    const bool meets_another =
        error != nullptr && (error->is_duplicate() || error->is_conflict() || error->state() == "42P07" ||
                             error->state() == "42P16" || error->state() == "XX000");
    if (!meets_another || !retry.pause()) failure->raise();
  }
}

PgLayout layout_of(PgConnection& connection) {
  const std::int64_t format =
      number_of(connection, "SELECT convert_from(value, 'UTF8') FROM rocktable_meta WHERE name = 'format'");
  if (const auto refusal = refuse_format(format)) throw StoreError(*refusal);
  const auto distributed = static_cast<std::int64_t>(PgLayout::Distributed);
  return format == distributed ? PgLayout::Distributed : PgLayout::Plain;
}

// Returns the number of nodes that have rows of entities.
std::int64_t nodes_of(PgConnection& connection) {
  const PgRows rows = connection.query(
      "SELECT count(*) FILTER (WHERE groupid = 0), count(*), count(*) FILTER (WHERE shouldhaveshards) FROM "
      "pg_dist_node");
  // All nodes are asked what they still do for a connection (Statement::EndWork), and this is one of them.
  if (number_in(rows.bytes(0, 0)) == 0)
    throw StoreError(
        "Citus does not know the address of its coordinator: run SELECT citus_set_coordinator_host('HOST', "
        "PORT) there");
  const std::int64_t nodes = number_in(rows.bytes(0, 1));
  return nodes > 1 ? number_in(rows.bytes(0, 2)) : nodes;
}

// Tries again after any failure: a server that is being set up has no user or database at first.
std::unique_ptr<PgConnection> connect(const StoreOptions& options, PgHealth& health) {
  constexpr std::chrono::milliseconds kPause{100};
  PgHosts hosts(options.url, options.timeout);
  const PgDeadline end = Waiter::Clock::now() + options.wait;
  for (bool is_told = false;; is_told = true) {
    std::unique_ptr<PgConnection> out;
    const auto failure = attempt([&] { out = std::make_unique<PgConnection>(hosts, health, PgDeadline::max()); });
    if (!failure) return out;
    const bool is_over = Waiter::Clock::now() >= end || (options.must_stop && options.must_stop());
    if (is_over || !hosts.mistake().empty()) failure->raise();
    if (!is_told && options.warn)
      options.warn("waits for the database " + printable_store_url(options.url) + ": " + failure->what());
    Waiter::current().sleep_for(kPause);
  }
}

// Numbers are counted, with Citus on all nodes. While one of them is down, a number at random must do. Two front ends
// that have the same may give the same ETag to an entity that one deletes and the other makes again.
std::int64_t number_of_front_end(PgConnection& connection, const StoreOptions& options, PgDeadline deadline) {
  std::int64_t out = 0;
  const auto failure = attempt([&] { out = connection.run({Statement::FrontEnd}, deadline).number(0, 0); });
  if (!failure) return out;
  if (failure->error() == nullptr || !failure->error()->is_of_node()) failure->raise();
  if (options.warn)
    options.warn(
        std::string("a node of the database is down, so the ETags of this front end may be those of another: ") +
        failure->what());
  return std::random_device{}();
}

SchemaState open(PgConnection& connection, PgHealth& health, const StoreOptions& options) {
  if (!has_schema(connection)) make_schema(connection, health, Waiter::Clock::now() + options.timeout);
  SchemaState out{};
  out.layout = layout_of(connection);
  if (out.layout == PgLayout::Distributed) out.nodes = nodes_of(connection);
  const PgRows contents =
      connection.query("SELECT convert_from(value, 'UTF8') FROM rocktable_meta WHERE name = 'contents'");
  if (contents.size() != 1) throw not_our_tables();
  out.contents_id = contents.bytes(0, 0);
  const PgDeadline deadline = Waiter::Clock::now() + options.timeout;
  connection.prepare(dialect_of(out.layout), deadline);
  out.front_end = number_of_front_end(connection, options, deadline);
  return out;
}

// --- URLs ----------------------------------------------------------------------------------------------------------

bool has_bad_escape(std::string_view text) {
  for (auto at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
    const std::string_view digits = text.substr(at + 1, 2);
    if (digits.size() < 2 || hex_value(digits[0]) < 0 || hex_value(digits[1]) < 0 || digits == "00") return true;
  }
  return false;
}

// `5432` behind `:`, or nothing. Behind the ] of an address nothing else may stand.
bool is_port_a_number(std::string_view host) {
  if (host.starts_with('[')) host.remove_prefix(std::min(host.find(']'), host.size()));
  const auto colon = host.find(':');
  return colon == host.npos || host.find_first_not_of("0123456789", colon + 1) == host.npos;
}

// Of `HOST:PORT,HOST:PORT`.
bool are_ports_numbers(std::string_view hosts) {
  while (true) {
    const auto comma = hosts.find(',');
    if (!is_port_a_number(hosts.substr(0, comma))) return false;
    if (comma == hosts.npos) return true;
    hosts.remove_prefix(comma + 1);
  }
}

// Returns whether an @ stands behind the first slash or question mark, except in a parameter (`/data?user=a@b`).
// libpq looks for the end of the user up to the first slash, also behind a question mark.
bool has_stray_at_sign(std::string_view text, std::string_view authority) {
  const auto at = text.rfind('@');
  if (at == text.npos || at < authority.size()) return false;
  const auto query = text.find('?');
  if (query > at) return true;
  if (authority.find('@') == authority.npos && text.find('/') > query) return true;
  return text.substr(query, at - query).find('=') == text.npos;
}

bool can_parse(std::string_view url) {
  char* message = nullptr;  // repeats parts of the URL
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(std::string(url).c_str(), &message), &PQconninfoFree);
  PQfreemem(message);
  return options != nullptr;
}

}  // namespace

SchemaState open_schema(const StoreOptions& options, PgHealth& health) {
  const std::string& url = options.url;
  if (const auto refusal = refuse_store_url(url)) throw StoreError(*refusal);
  try {
    const auto connection = connect(options, health);
    return open(*connection, health, options);
  } catch (const std::exception& error) {
    throw StoreError("cannot open the store " + printable_store_url(url) + ": " + error.what());
  }
}

std::optional<std::string> refuse_store_url(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == url.npos) return std::nullopt;
  const std::string_view text = url.substr(begin + kBeforeHost.size());
  if (has_bad_escape(text))
    return "--store has a % without two hexadecimal digits behind it, or %00: in the name, the password and "
           "the database, write %25 for a percent sign";
  const std::string_view authority = text.substr(0, text.find_first_of("/?"));
  const auto at = authority.rfind('@');
  const bool has_user = at != authority.npos;
  if (has_user && authority.find('@') < at)
    return "--store has two @ before the database: in the name and the password, write %40 for an @";
  if (has_stray_at_sign(text, authority))
    return "--store has an @ behind a slash or question mark: in the name, the password and the database, "
           "write %2F for a slash, %3F for a question mark, %40 for an @";
  if (!are_ports_numbers(authority.substr(has_user ? at + 1 : 0)))
    return "--store has a port that is not a number: a URL is postgresql://USER:PASSWORD@HOST:PORT/DATABASE, "
           "with %2F for a slash, %3F for a question mark and %40 for an @ in the name and the password";
  if (!can_parse(url))
    return "--store is not a URL of PostgreSQL: an IPv6 address needs [ and ], and behind the ? stand "
           "parameters of libpq as NAME=VALUE, with & between them";
  return std::nullopt;
}

std::string printable_store_url(const std::string& url) {
  const auto begin = url.find("://");
  if (begin == url.npos) return "of --store";
  const auto user = begin + kBeforeHost.size();
  const auto query = std::min(url.find('?'), url.size());
  const auto at = url.rfind('@');
  if (at == url.npos || at < user) {
    const std::string_view authority = std::string_view(url).substr(user, url.find_first_of("/?", user) - user);
    if (are_ports_numbers(authority)) return url.substr(0, query);
    return url.substr(0, url.find(':', user)) + ":***";  // of a user, without @ and host
  }
  const auto colon = url.find(':', user);
  std::string out = url.substr(0, std::min({colon, at, query}));
  if (colon < std::min(at, query)) out += ":***";
  // A ? before the last @ begins the parameters, or is in the password: what follows may be a password, too.
  if (query > at) out += url.substr(at, query - at);
  return out;
}

}  // namespace rocktable
