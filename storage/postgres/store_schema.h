// The tables of the store in the database: made at the first start, and checked at each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/postgres/database/pg_health.h"
#include "storage/postgres/database/statements.h"
#include "storage/store_types.h"

namespace rocktable {

struct SchemaState {
  PgLayout layout;
  std::int64_t nodes;      // of Citus, with rows of entities; 0: it is one PostgreSQL
  std::int64_t front_end;  // the number of this front end; each start has another, unless a node of Citus is down
  std::string contents_id;
};

// Connects, and makes the tables unless they exist. Two front ends may do so at once. Throws StoreError: the URL is
// refused, the database does not answer, refuses the user, or has the tables of a newer version.
//
// Within `options.wait` a connection that cannot be made is tried again, and `options.warn` is told why, once.
SchemaState open_schema(const StoreOptions& options, PgHealth& health);

// Returns a sentence if libpq cannot read the URL, or would read a part of the name or password as something else,
// such as a port: libpq shows it in its messages then. Else nullopt. The sentence quotes nothing of the URL.
std::optional<std::string> refuse_store_url(std::string_view url);

// The URL without its password and parameters, for messages. Accepts any text: shows nothing between the first colon
// behind the scheme and the last @, and nothing behind a question mark.
std::string printable_store_url(const std::string& url);

}  // namespace rocktable
