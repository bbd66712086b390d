#include "storage/postgres/statements.h"

#include "odata/date_time.h"
#include "storage/contents_id.h"

namespace rocktable {
namespace {

// The server's clock; its resolution is a microsecond.
std::string clock_ticks() {
  return "((extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 10 + " +
         std::to_string(kUnixEpoch.ticks) + ")";
}

// The clock plus $offset, in slot $slot. NULL if the offset is NULL.
std::string time_in_slot(const std::string& offset, const std::string& slot) {
  const std::string slots = std::to_string(kSlots);
  return "((" + clock_ticks() + " + " + offset + "::bigint) / " + slots + " * " + slots + " + " + slot +
         "::bigint)";
}

// The least ticks after those of the row, in slot $slot.
std::string after_row(const std::string& row, const std::string& slot) {
  const std::string slots = std::to_string(kSlots);
  return "((" + row + ".ticks / " + slots + " + 1) * " + slots + " + " + slot + "::bigint)";
}

std::string table_exists(const std::string& account, const std::string& name, const std::string& id) {
  return "EXISTS (SELECT 1 FROM rocktable_tables t WHERE t.account = " + account +
         "::bytea AND t.name = " + name + "::bytea AND t.id = " + id + "::bigint)";
}

}  // namespace

std::vector<StatementText> all_statements() {
  using enum Statement;
  const std::string fresh = "greatest(" + time_in_slot("$3", "$5") + ", $4::bigint)";
  const std::string next =
      "greatest(" + time_in_slot("$3", "$5") + ", $4::bigint, " + after_row("e", "$5") + ")";
  const std::string guard = table_exists("$6", "$7", "$8");
  const std::string dropped_now = " INSERT INTO rocktable_dropped (id, since, claimed) SELECT id, " +
                                  clock_ticks() + ", 0 FROM gone RETURNING id";
  return {
      {Begin, "BEGIN ISOLATION LEVEL READ COMMITTED"},
      {BeginSnapshot, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
      {BeginCopy, "BEGIN ISOLATION LEVEL REPEATABLE READ"},
      {Commit, "COMMIT"},
      {Rollback, "ROLLBACK"},
      {Ticks, "SELECT " + clock_ticks()},
      {Contents, "SELECT value FROM rocktable_meta WHERE name = 'contents'"},

      {FindTable,
       "SELECT id, created, title, identifiers FROM rocktable_tables WHERE account = $1::bytea AND name = "
       "$2::bytea"},
      {ListTables,
       "SELECT name, created, title FROM rocktable_tables WHERE account = $1::bytea AND name >= $2::bytea "
       "AND "
       "name < $3::bytea ORDER BY name LIMIT $4::bigint"},
      {CreateTable,
       "INSERT INTO rocktable_tables (account, name, id, created, title, identifiers) SELECT $1::bytea, "
       "$2::bytea, "
       "nextval('rocktable_ids'), coalesce($5::bigint, " +
           clock_ticks() +
           " + $4::bigint), $3::bytea, ''::bytea ON CONFLICT (account, name) DO NOTHING RETURNING id"},
      {DropTable,
       "WITH gone AS (DELETE FROM rocktable_tables WHERE account = $1::bytea AND name = $2::bytea RETURNING "
       "id)" +
           dropped_now},
      {SetIdentifiers,
       "UPDATE rocktable_tables SET identifiers = $3::bytea WHERE account = $1::bytea AND name = $2::bytea"},
      {GetProperties,
       "SELECT properties FROM rocktable_accounts WHERE account = $1::bytea AND properties IS NOT NULL"},
      {SetProperties,
       "INSERT INTO rocktable_accounts (account, properties) VALUES ($1::bytea, $2::bytea) ON CONFLICT "
       "(account) DO "
       "UPDATE SET properties = excluded.properties"},
      {CountTables, "SELECT count(*) FROM (SELECT 1 FROM rocktable_tables LIMIT $1::bigint) some_tables"},
      {TableCounts, "SELECT account, count(*) FROM rocktable_tables GROUP BY account"},

      {Get, "SELECT ticks, record FROM rocktable_entities WHERE key = $1::bytea"},
      {GetMany,
       "SELECT key, ticks, record FROM rocktable_entities WHERE key = ANY($1::bytea[]) ORDER BY key"},
      {Range,
       "SELECT key, ticks, record FROM rocktable_entities WHERE key >= $1::bytea AND key < $2::bytea ORDER "
       "BY key "
       "LIMIT $3::bigint"},
      {RangeBytes,
       "SELECT coalesce(sum(octet_length(key) + octet_length(record)), 0)::bigint FROM (SELECT key, record "
       "FROM rocktable_entities WHERE key >= $1::bytea AND key < $2::bytea LIMIT $3::bigint) some_entities"},
      {CheckTable,
       "SELECT 1 FROM rocktable_tables WHERE account = $1::bytea AND name = $2::bytea AND id = $3::bigint"},
      {LockTicks,
       "SELECT key, ticks FROM rocktable_entities WHERE key = ANY($1::bytea[]) ORDER BY key FOR UPDATE"},
      {LockRows,
       "SELECT key, ticks, record FROM rocktable_entities WHERE key = ANY($1::bytea[]) ORDER BY key FOR "
       "UPDATE"},

      {InsertOne, "INSERT INTO rocktable_entities AS e (key, ticks, record) SELECT $1::bytea, " + fresh +
                      ", $2::bytea WHERE " + guard + " ON CONFLICT (key) DO NOTHING RETURNING ticks"},
      {PutOne, "INSERT INTO rocktable_entities AS e (key, ticks, record) SELECT $1::bytea, " + fresh +
                   ", $2::bytea WHERE " + guard + " ON CONFLICT (key) DO UPDATE SET ticks = " + next +
                   ", record = excluded.record RETURNING ticks"},
      {ReplaceOne, "UPDATE rocktable_entities AS e SET ticks = " + next +
                       ", record = $2::bytea WHERE key = $1::bytea AND " + guard + " RETURNING ticks"},
      {ReplaceMatch, "UPDATE rocktable_entities AS e SET ticks = " + next +
                         ", record = $2::bytea WHERE key = $1::bytea AND ticks = $9::bigint AND " + guard +
                         " RETURNING ticks"},
      {DeleteOne, "DELETE FROM rocktable_entities WHERE key = $1::bytea AND " +
                      table_exists("$2", "$3", "$4") + " RETURNING ticks"},
      {DeleteMatch, "DELETE FROM rocktable_entities WHERE key = $1::bytea AND " +
                        table_exists("$2", "$3", "$4") + " AND ticks = $5::bigint RETURNING ticks"},

      {InsertNew,
       "INSERT INTO rocktable_entities AS e (key, ticks, record) SELECT n.key, c.ticks, n.record FROM "
       "(SELECT " +
           fresh + " AS ticks OFFSET 0) c, unnest($1::bytea[], $2::bytea[]) AS n(key, record) WHERE " +
           guard + " RETURNING ticks"},
      {InsertMany,
       "INSERT INTO rocktable_entities (key, ticks, record) SELECT n.key, $3::bigint, n.record FROM "
       "unnest($1::bytea[], $2::bytea[]) AS n(key, record)"},
      {UpdateMany,
       "UPDATE rocktable_entities e SET ticks = $3::bigint, record = n.record FROM unnest($1::bytea[], "
       "$2::bytea[]) AS "
       "n(key, record) WHERE e.key = n.key"},
      {DeleteMany, "DELETE FROM rocktable_entities WHERE key = ANY($1::bytea[])"},

      {NewTableId, "SELECT nextval('rocktable_ids')"},
      {AddTable,
       "INSERT INTO rocktable_tables (account, name, id, created, title, identifiers) VALUES ($1::bytea, "
       "$2::bytea, "
       "$3::bigint, $4::bigint, $5::bytea, $6::bytea)"},
      {EmptyTable,
       "WITH former AS (SELECT account, name, id FROM rocktable_tables WHERE account = $1::bytea AND name = "
       "$2::bytea "
       "FOR UPDATE), gone AS (UPDATE rocktable_tables t SET id = nextval('rocktable_ids') FROM former f "
       "WHERE "
       "t.account = f.account AND t.name = f.name RETURNING f.id)" +
           dropped_now},
      {DropAccount,
       "WITH gone AS (DELETE FROM rocktable_tables WHERE account = $1::bytea RETURNING id)" + dropped_now},
      {DropProperties, "DELETE FROM rocktable_accounts WHERE account = $1::bytea"},
      {DropAll, "WITH gone AS (DELETE FROM rocktable_tables RETURNING id)" + dropped_now},
      {DropAllProperties, "DELETE FROM rocktable_accounts"},
      {SetContents,
       "INSERT INTO rocktable_meta (name, value) VALUES ('contents', $1::bytea) ON CONFLICT (name) DO UPDATE "
       "SET value = "
       "excluded.value"},
      {CopyProperties,
       "INSERT INTO rocktable_accounts (account, properties) SELECT $1::bytea, (SELECT properties FROM "
       "rocktable_accounts WHERE account = $2::bytea) ON CONFLICT (account) DO UPDATE SET properties = "
       "excluded.properties"},
      {CopyEntities,
       "INSERT INTO rocktable_entities (key, ticks, record) SELECT $1::bytea || substring(key FROM 9), "
       "ticks, record "
       "FROM rocktable_entities WHERE key >= $2::bytea AND key < $3::bytea"},
      {ClaimDropped, "UPDATE rocktable_dropped SET claimed = " + clock_ticks() +
                         " WHERE id = (SELECT id FROM rocktable_dropped WHERE claimed < " + clock_ticks() +
                         " - 300000000 ORDER BY claimed LIMIT 1) AND claimed < " + clock_ticks() +
                         " - 300000000 RETURNING id, (" + clock_ticks() + " - since) / 10000000"},
      {Sweep,
       "DELETE FROM rocktable_entities WHERE key IN (SELECT key FROM rocktable_entities WHERE key >= "
       "$1::bytea AND key "
       "< $2::bytea ORDER BY key LIMIT $3::bigint)"},
      {ForgetDropped, "DELETE FROM rocktable_dropped WHERE id = $1::bigint"},

      {IsAtWork, "SELECT 1 FROM pg_stat_activity WHERE pid = $1::bigint"},
  };
}

std::string session_settings() {
  // If this machine is cut off between the two round trips of a transaction, the database ends it and frees its rows.
  std::string out = "SET idle_in_transaction_session_timeout = 10000;";
  // The primary key gives the rows in their order, and LIMIT ends the scan. Where the database's statistics are old it would
  // guess that a range has few rows, and read and sort all of them for each page.
  for (const char* other : {"seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin"})
    out += std::string(" SET enable_") + other + " = off;";
  return out + " SET plan_cache_mode = force_generic_plan";
}

std::string schema_sql() {
  return "CREATE TABLE IF NOT EXISTS rocktable_meta (name text, value bytea NOT NULL, PRIMARY KEY (name));\n"
         "CREATE TABLE IF NOT EXISTS rocktable_accounts (account bytea, properties bytea, PRIMARY "
         "KEY "
         "(account));\n"
         "CREATE TABLE IF NOT EXISTS rocktable_tables (account bytea, name bytea, id bigint NOT NULL, "
         "created bigint NOT "
         "NULL, title bytea NOT NULL, identifiers bytea NOT NULL, PRIMARY KEY (account, name));\n"
         "CREATE TABLE IF NOT EXISTS rocktable_dropped (id bigint, since bigint NOT NULL, claimed bigint NOT "
         "NULL, "
         "PRIMARY KEY (id));\n"
         "CREATE TABLE IF NOT EXISTS rocktable_entities (key bytea, ticks bigint NOT NULL, record bytea NOT "
         "NULL, "
         "PRIMARY KEY (key));\n"
         "ALTER TABLE rocktable_entities ALTER COLUMN record SET STORAGE EXTERNAL;\n"
         "CREATE SEQUENCE IF NOT EXISTS rocktable_ids;\n"
         "CREATE SEQUENCE IF NOT EXISTS rocktable_front_ends;\n"
         "INSERT INTO rocktable_meta (name, value) VALUES ('format', '" +
         std::to_string(kPostgresFormat) + "') ON CONFLICT (name) DO NOTHING;\n" +
         "INSERT INTO rocktable_meta (name, value) VALUES ('contents', '" + new_contents_id() +
         "') ON CONFLICT (name) DO NOTHING;\n";
}

}  // namespace rocktable
