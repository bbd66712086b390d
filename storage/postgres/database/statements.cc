#include "storage/postgres/database/statements.h"

#include "base/date_time.h"
#include "storage/contents_id.h"

namespace rocktable {
namespace {

// Parts of statements: in the text of one, a name in braces stands for its part.
using Parts = std::vector<std::pair<std::string, std::string>>;

std::string with_parts(std::string sql, const Parts& parts) {
  for (const auto& [name, part] : parts)
    for (std::size_t at = 0; (at = sql.find(name, at)) != sql.npos; at += part.size())
      sql.replace(at, name.size(), part);
  return sql;
}

// In this order: a part may have the names of later ones in it.
Parts parts() {
  return {
      // The ticks of a new row: the clock plus $offset in the slot of the front end, but not before its floor.
      {"{fresh}", "greatest({now_in_slot}, $4::bigint)"},
      // Of one that replaces a row: also after that row's.
      {"{next}", "greatest({now_in_slot}, $4::bigint, (e.ticks / {slots} + 1) * {slots} + $5::bigint)"},
      // NULL if the offset is NULL: the emulator's clock stands still. Then only the floor counts.
      {"{now_in_slot}", "(({clock} + $3::bigint) / {slots} * {slots} + $5::bigint)"},
      // The table still has its id.
      {"{guard}", R"(EXISTS (SELECT 1 FROM rocktable_tables t
                      WHERE t.account = $6::bytea AND t.name = $7::bytea AND t.id = $8::bigint))"},
      {"{guard_of_deletion}", R"(EXISTS (SELECT 1 FROM rocktable_tables t
                      WHERE t.account = $2::bytea AND t.name = $3::bytea AND t.id = $4::bigint))"},
      {"{drop_gone}", R"(INSERT INTO rocktable_dropped (id, since, claimed)
                         SELECT id, {clock}, 0 FROM gone RETURNING id)"},
      // The server's clock; its resolution is a microsecond.
      {"{clock}", "((extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 10 + {unix_epoch})"},
      {"{backend_start}", "(extract(epoch FROM backend_start) * 1000000)::bigint"},
      {"{server_start}", "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint"},
      {"{unix_epoch}", std::to_string(kUnixEpoch.ticks)},
      {"{slots}", std::to_string(kSlots)},
      // So many connections less than the server allows, and it counts as full: some are for superusers.
      {"{spare}", "8"},
  };
}

std::vector<StatementText> make_statements() {
  using enum Statement;
  std::vector<StatementText> out{
      {Begin, "BEGIN ISOLATION LEVEL READ COMMITTED"},
      {BeginSnapshot, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
      {BeginCopy, "BEGIN ISOLATION LEVEL REPEATABLE READ"},
      {Commit, "COMMIT"},
      {Rollback, "ROLLBACK"},
      {BrieflyLocked, "SELECT set_config('lock_timeout', '100', true)"},
      {Ticks, "SELECT {clock}"},
      {Watch, R"(
        SELECT value, {clock}, ((SELECT sum(numbackends) FROM pg_stat_database) + {spare} >
                                current_setting('max_connections')::bigint)::int::bigint
        FROM rocktable_meta WHERE name = 'contents')"},
      {Format, "SELECT convert_from(value, 'UTF8')::bigint FROM rocktable_meta WHERE name = 'format'"},

      {FindTable, R"(
        SELECT id, created, title, identifiers FROM rocktable_tables
        WHERE account = $1::bytea AND name = $2::bytea)"},
      {ListTables, R"(
        SELECT name, created, title FROM rocktable_tables
        WHERE account = $1::bytea AND name >= $2::bytea AND name < $3::bytea
        ORDER BY name LIMIT $4::bigint)"},
      {CreateTable, R"(
        INSERT INTO rocktable_tables (account, name, id, created, title, identifiers)
        SELECT $1::bytea, $2::bytea, nextval('rocktable_ids'), coalesce($5::bigint, {clock} + $4::bigint),
               $3::bytea, ''::bytea
        ON CONFLICT (account, name) DO NOTHING RETURNING id)"},
      {DropTable, R"(
        WITH gone AS (DELETE FROM rocktable_tables WHERE account = $1::bytea AND name = $2::bytea RETURNING id)
        {drop_gone})"},
      {SetIdentifiers, R"(
        UPDATE rocktable_tables SET identifiers = $3::bytea WHERE account = $1::bytea AND name = $2::bytea)"},
      {GetProperties, R"(
        SELECT properties FROM rocktable_accounts WHERE account = $1::bytea AND properties IS NOT NULL)"},
      {SetProperties, R"(
        INSERT INTO rocktable_accounts (account, properties) VALUES ($1::bytea, $2::bytea)
        ON CONFLICT (account) DO UPDATE SET properties = excluded.properties)"},
      {CountTables, "SELECT count(*) FROM (SELECT 1 FROM rocktable_tables LIMIT $1::bigint) some_tables"},
      {TableCounts, "SELECT account, count(*) FROM rocktable_tables GROUP BY account"},

      {Get, "SELECT ticks, record FROM rocktable_entities WHERE key = $1::bytea"},
      {GetMany, R"(
        SELECT key, ticks, record FROM rocktable_entities WHERE key = ANY($1::bytea[]) ORDER BY key)"},
      {Range, R"(
        SELECT key, ticks, record FROM rocktable_entities WHERE key >= $1::bytea AND key < $2::bytea
        ORDER BY key LIMIT $3::bigint)"},
      {RangeBytes, R"(
        SELECT coalesce(sum(octet_length(key) + octet_length(record)), 0)::bigint
        FROM (SELECT key, record FROM rocktable_entities WHERE key >= $1::bytea AND key < $2::bytea
              LIMIT $3::bigint) some_entities)"},
      {CheckTable, R"(
        SELECT 1 FROM rocktable_tables WHERE account = $1::bytea AND name = $2::bytea AND id = $3::bigint)"},
      {LockTicks, R"(
        SELECT key, ticks FROM rocktable_entities WHERE key = ANY($1::bytea[]) ORDER BY key FOR UPDATE)"},
      {LockRows, R"(
        SELECT key, ticks, record FROM rocktable_entities WHERE key = ANY($1::bytea[])
        ORDER BY key FOR UPDATE)"},

      {InsertOne, R"(
        INSERT INTO rocktable_entities AS e (key, ticks, record)
        SELECT $1::bytea, {fresh}, $2::bytea WHERE {guard}
        ON CONFLICT (key) DO NOTHING RETURNING ticks)"},
      {PutOne, R"(
        INSERT INTO rocktable_entities AS e (key, ticks, record)
        SELECT $1::bytea, {fresh}, $2::bytea WHERE {guard}
        ON CONFLICT (key) DO UPDATE SET ticks = {next}, record = excluded.record RETURNING ticks)"},
      {ReplaceOne, R"(
        UPDATE rocktable_entities AS e SET ticks = {next}, record = $2::bytea
        WHERE key = $1::bytea AND {guard} RETURNING ticks)"},
      {ReplaceMatch, R"(
        UPDATE rocktable_entities AS e SET ticks = {next}, record = $2::bytea
        WHERE key = $1::bytea AND ticks = $9::bigint AND {guard} RETURNING ticks)"},
      {DeleteOne, R"(
        DELETE FROM rocktable_entities WHERE key = $1::bytea AND {guard_of_deletion} RETURNING ticks)"},
      {DeleteMatch, R"(
        DELETE FROM rocktable_entities WHERE key = $1::bytea AND {guard_of_deletion} AND ticks = $5::bigint
        RETURNING ticks)"},

      {InsertNew, R"(
        INSERT INTO rocktable_entities AS e (key, ticks, record)
        SELECT n.key, c.ticks, n.record
        FROM (SELECT {fresh} AS ticks OFFSET 0) c, unnest($1::bytea[], $2::bytea[]) AS n(key, record)
        WHERE {guard} RETURNING ticks)"},
      {InsertMany, R"(
        INSERT INTO rocktable_entities (key, ticks, record)
        SELECT n.key, $3::bigint, n.record FROM unnest($1::bytea[], $2::bytea[]) AS n(key, record))"},
      {UpdateMany, R"(
        UPDATE rocktable_entities e SET ticks = $3::bigint, record = n.record
        FROM unnest($1::bytea[], $2::bytea[]) AS n(key, record) WHERE e.key = n.key)"},
      {DeleteMany, "DELETE FROM rocktable_entities WHERE key = ANY($1::bytea[])"},

      {NewTableId, "SELECT nextval('rocktable_ids')"},
      {AddTable, R"(
        INSERT INTO rocktable_tables (account, name, id, created, title, identifiers)
        VALUES ($1::bytea, $2::bytea, $3::bigint, $4::bigint, $5::bytea, $6::bytea))"},
      {EmptyTable, R"(
        WITH former AS (SELECT account, name, id FROM rocktable_tables
                        WHERE account = $1::bytea AND name = $2::bytea FOR UPDATE),
             gone AS (UPDATE rocktable_tables t SET id = nextval('rocktable_ids') FROM former f
                      WHERE t.account = f.account AND t.name = f.name RETURNING f.id)
        {drop_gone})"},
      {DropAccount, R"(
        WITH gone AS (DELETE FROM rocktable_tables WHERE account = $1::bytea RETURNING id) {drop_gone})"},
      {DropProperties, "DELETE FROM rocktable_accounts WHERE account = $1::bytea"},
      {DropAll, "WITH gone AS (DELETE FROM rocktable_tables RETURNING id) {drop_gone}"},
      {DropAllProperties, "DELETE FROM rocktable_accounts"},
      {SetContents, R"(
        INSERT INTO rocktable_meta (name, value) VALUES ('contents', $1::bytea)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value)"},
      {CopyProperties, R"(
        INSERT INTO rocktable_accounts (account, properties)
        SELECT $1::bytea, (SELECT properties FROM rocktable_accounts WHERE account = $2::bytea)
        ON CONFLICT (account) DO UPDATE SET properties = excluded.properties)"},
      {CopyEntities, R"(
        INSERT INTO rocktable_entities (key, ticks, record)
        SELECT $1::bytea || substring(key FROM 9), ticks, record
        FROM rocktable_entities WHERE key >= $2::bytea AND key < $3::bytea)"},
      {ClaimDropped, R"(
        UPDATE rocktable_dropped SET claimed = {clock}
        WHERE id = (SELECT id FROM rocktable_dropped WHERE claimed < {clock} - 300000000
                    ORDER BY claimed LIMIT 1)
              AND claimed < {clock} - 300000000
        RETURNING id, ({clock} - since) / 10000000)"},
      {Sweep, R"(
        DELETE FROM rocktable_entities
        WHERE key IN (SELECT key FROM rocktable_entities WHERE key >= $1::bytea AND key < $2::bytea
                      ORDER BY key LIMIT $3::bigint))"},
      {ForgetDropped, "DELETE FROM rocktable_dropped WHERE id = $1::bigint"},

      {Backend, R"(
        SELECT pid::bigint, {backend_start}, {server_start} FROM pg_stat_activity WHERE pid = pg_backend_pid())"},
      {EndBackend, R"(
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid = $1::bigint AND {backend_start} = $2::bigint AND {server_start} = $3::bigint)"},
  };
  const Parts known = parts();
  for (auto& [statement, sql] : out) sql = with_parts(std::move(sql), known);
  return out;
}

}  // namespace

const std::vector<StatementText>& all_statements() {
  static const std::vector<StatementText> kAll = make_statements();
  return kAll;
}

std::vector<std::string> session_settings() {
  // If this machine is cut off between the two round trips of a transaction, the database ends it and frees its rows.
  std::vector<std::string> out{"SET idle_in_transaction_session_timeout = 10000",
                               "SET plan_cache_mode = force_generic_plan",
                               // To compile a statement takes longer than to run it.
                               "SET jit = off"};
  // The primary key gives the rows in their order, and LIMIT ends the scan. Where the database's statistics are old it
  // would guess that a range has few rows, and read and sort all of them for each page.
  for (const char* other : {"seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin"})
    out.push_back(std::string("SET enable_") + other + " = off");
  return out;
}

std::optional<std::string> refuse_format(std::int64_t format) {
  if (format <= kPostgresFormat) return std::nullopt;
  return "it was written by a newer rocktable (format " + std::to_string(format) + "; this version reads up to " +
         std::to_string(kPostgresFormat) + ")";
}

std::string schema_sql() {
  return with_parts(
      R"(CREATE TABLE IF NOT EXISTS rocktable_meta (name text, value bytea NOT NULL, PRIMARY KEY (name));
CREATE TABLE IF NOT EXISTS rocktable_accounts (account bytea, properties bytea, PRIMARY KEY (account));
CREATE TABLE IF NOT EXISTS rocktable_tables (
  account bytea, name bytea, id bigint NOT NULL, created bigint NOT NULL, title bytea NOT NULL,
  identifiers bytea NOT NULL, PRIMARY KEY (account, name));
CREATE TABLE IF NOT EXISTS rocktable_dropped (
  id bigint, since bigint NOT NULL, claimed bigint NOT NULL, PRIMARY KEY (id));
CREATE TABLE IF NOT EXISTS rocktable_entities (
  key bytea, ticks bigint NOT NULL, record bytea NOT NULL, PRIMARY KEY (key));
ALTER TABLE rocktable_entities ALTER COLUMN record SET STORAGE EXTERNAL;
CREATE SEQUENCE IF NOT EXISTS rocktable_ids;
CREATE SEQUENCE IF NOT EXISTS rocktable_front_ends;
INSERT INTO rocktable_meta (name, value) VALUES ('format', '{format}') ON CONFLICT (name) DO NOTHING;
INSERT INTO rocktable_meta (name, value) VALUES ('contents', '{contents}') ON CONFLICT (name) DO NOTHING;
)",
      {{"{format}", std::to_string(kPostgresFormat)}, {"{contents}", new_contents_id()}});
}

}  // namespace rocktable
