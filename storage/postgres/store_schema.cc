#include "storage/postgres/store_schema.h"

#include <charconv>
#include <thread>

#include "storage/postgres/pg_connection.h"
#include "storage/postgres/statements.h"
#include "storage/store_error.h"

namespace rocktable {
namespace {

constexpr std::string_view kPassword = "password";

std::int64_t number_in(std::string_view text) {
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

StoreError foreign_tables() { return StoreError("its tables are not those of rocktable"); }

bool has_schema(PgConnection& connection) {
  try {
    return connection.query("SELECT 1 FROM rocktable_meta WHERE name = 'contents'").size() == 1;
  } catch (const PgError& error) {
    if (error.state() == "42P01") return false;            // there is no such table
    if (error.state() == "42703") throw foreign_tables();  // no such column
    throw;
  }
}

// Two front ends that begin at once may meet: then one finds what the other has made.
void make_schema(PgConnection& connection) {
  constexpr int kTries = 5;
  const std::string sql = schema_sql();
  for (int attempt = 1;; ++attempt) {
    try {
      return connection.run_script(sql);
    } catch (const PgError& error) {
      const bool meets_another =
          error.is_duplicate() || error.is_conflict() || error.state() == "42P07" || error.state() == "XX000";
      if (!meets_another || attempt == kTries) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void require_known_format(PgConnection& connection) {
  const PgRows rows =
      connection.query("SELECT convert_from(value, 'UTF8') FROM rocktable_meta WHERE name = 'format'");
  const std::int64_t format = rows.size() == 1 ? number_in(rows.bytes(0, 0)) : 0;
  if (format <= kPostgresFormat) return;
  throw StoreError("it was written by a newer rocktable (format " + std::to_string(format) +
                   "; this version reads up to " + std::to_string(kPostgresFormat) + ")");
}

SchemaState open(const std::string& url, std::chrono::milliseconds timeout) {
  PgConnection connection(url, timeout);
  if (!has_schema(connection)) make_schema(connection);
  require_known_format(connection);
  const PgRows number = connection.query("SELECT nextval('rocktable_front_ends')");
  const PgRows contents =
      connection.query("SELECT convert_from(value, 'UTF8') FROM rocktable_meta WHERE name = 'contents'");
  if (number.size() != 1 || contents.size() != 1) throw foreign_tables();
  SchemaState out{number_in(number.bytes(0, 0)), std::string(contents.bytes(0, 0))};
  connection.prepare();
  return out;
}

}  // namespace

SchemaState open_schema(const std::string& url, std::chrono::milliseconds timeout) {
  try {
    return open(url, timeout);
  } catch (const std::exception& error) {
    throw StoreError("cannot open the store " + printable_store_url(url) + ": " + error.what());
  }
}

std::optional<std::string> refuse_store_url(std::string_view url) {
  const auto begin = url.find("://");
  const auto at = url.rfind('@');
  if (begin == url.npos || at == url.npos) return std::nullopt;
  const auto end = url.find_first_of("/?", begin + 3);
  if (at < end) return std::nullopt;
  const auto query = url.find('?');
  if (query < at && url.substr(query, at - query).find('=') != url.npos) return std::nullopt;  // ?user=a@b
  return "--store has an @ behind a slash or question mark: in the name, the password and the database, "
         "write "
         "%2F for a slash, %3F for a question mark, %40 for an @";
}

std::string printable_store_url(const std::string& url) {
  const auto begin = url.find("://");
  if (begin == url.npos) return "of --store";
  std::string out = url.substr(0, url.find('?'));
  const auto host = begin + 3;
  const auto at = out.substr(0, out.find('/', host)).rfind('@');
  if (at == out.npos || at < host) return out;
  const auto colon = out.find(':', host);
  if (colon < at) out.replace(colon, at - colon, ":***");
  return out;
}

}  // namespace rocktable
