#include "storage/postgres/database/statements.h"

#include <algorithm>
#include <charconv>

#include "base/date_time.h"
#include "storage/contents_id.h"
#include "storage/postgres/database/citus_sql.h"
#include "storage/postgres/database/sql_parts.h"

namespace rocktable {
namespace {

SqlParts common_parts() {
  return {
      // The ticks of a new row: the clock plus $offset in the slot of the front end, but not before its floor.
      {"{fresh}", "greatest({now_in_slot}, $4::bigint)"},
      // Of one that replaces a row: also after that row's.
      {"{next}", "greatest({now_in_slot}, $4::bigint, {after_row})"},
      {"{after_row}", "(e.ticks / {slots} + 1) * {slots} + $5::bigint"},
      // NULL if the offset is NULL: the emulator's clock stands still. Then only the floor counts.
      {"{now_in_slot}", "(({clock} + $3::bigint) / {slots} * {slots} + $5::bigint)"},
      {"{drop_gone}", R"(INSERT INTO rocktable_dropped (id, since, claimed)
                         SELECT id, {clock}, 0 FROM gone RETURNING id)"},
      // Of the server; its resolution is a microsecond.
      {"{clock}", "((extract(epoch FROM {now}) * 1000000)::bigint * 10 + {unix_epoch})"},
      {"{backend_start}", "(extract(epoch FROM backend_start) * 1000000)::bigint"},
      {"{server_start}", "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint"},
      {"{unix_epoch}", std::to_string(kUnixEpoch.ticks)},
      {"{slots}", std::to_string(kSlots)},
      // So many connections less than the server allows, and it counts as full: some are for superusers.
      {"{spare}", "8"},
  };
}

// Where the rows are in one database.
std::vector<std::string> plain_settings() {
  std::vector<std::string> out{"SET plan_cache_mode = force_generic_plan"};
  for (const std::string& setting : planner_settings()) out.push_back("SET " + setting);
  return out;
}

SqlParts plain_parts() {
  return {
      {"{values}", "SELECT"},
      {"{if_guarded}", "WHERE {guard}"},
      {"{and_guarded}", "AND {guard}"},
      // The table still has its id.
      {"{guard}", R"(EXISTS (SELECT 1 FROM rocktable_tables t
                      WHERE t.account = $account::bytea AND t.name = $name::bytea AND t.id = $id::bigint))"},
      {"{now}", "clock_timestamp()"},
      {"{front_end}", "SELECT nextval('rocktable_front_ends')"},
      {"{work}", "pid::bigint"},
      {"{end_work}", R"(
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid = $1::bigint AND {backend_start} = $2::bigint AND {server_start} = $3::bigint)"},
      {"{, id}", ", id"},
      {"{, next id}", ", nextval('rocktable_ids')"},
      {"{default_id}", ""},
      {"{counters}", "CREATE SEQUENCE IF NOT EXISTS rocktable_front_ends;"},
      {"{part_column}", ""},
      {"{spread}", ""},
      {"{counted}", "$3::bigint"},
      // The parameter or column `part`: nothing.
      {"{in_part}", ""},
      {"{in_parts}", ""},
      {"{, part}", ""},
      {"{, $part}", ""},
      {"{, $parts}", ""},
      {"{, n.part}", ""},
      {"{, moved part}", ""},
  };
}

const SqlParts& parts_of(PgLayout layout) {
  const auto all = [](SqlParts own, PgLayout of) {
    for (auto& part : common_parts()) own.push_back(std::move(part));
    own.emplace_back("{format}", std::to_string(static_cast<std::int64_t>(of)));
    return own;
  };
  if (layout == PgLayout::Plain) {
    static const SqlParts kPlain = all(plain_parts(), PgLayout::Plain);
    return kPlain;
  }
  static const SqlParts kDistributed = all(citus_parts(), PgLayout::Distributed);
  return kDistributed;
}

// The number of the last parameter.
int last_parameter(std::string_view sql) {
  int out = 0;
  for (std::size_t at = 0; (at = sql.find('$', at)) != sql.npos; ++at) {
    int number = 0;
    std::from_chars(sql.data() + at + 1, sql.data() + sql.size(), number);
    out = std::max(out, number);
  }
  return out;
}

StatementText make_statement(Statement statement, const std::string& text, PgLayout layout) {
  const auto has = [&](const char* name) { return text.find(name) != text.npos; };
  StatementText out{statement, with_parts(text, parts_of(layout)), has("guarded}")};
  if (has("{in_part}") || has("{, $part}")) out.part = has("$1::bytea[]") ? PartOf::FirstKey : PartOf::Key;
  if (has("{in_parts}") || has("{, $parts}")) out.part = PartOf::EachKey;
  if (has("{, moved part}")) out.part = PartOf::Table;
  // Parameters with names follow those with numbers.
  int number = last_parameter(out.sql);
  for (const char* name : {"$account", "$name", "$id"}) {
    if (out.sql.find(name) == out.sql.npos) continue;
    out.sql = replace_all(std::move(out.sql), name, "$" + std::to_string(++number));
  }
  out.sql = replace_all(std::move(out.sql), "$part", "$" + std::to_string(number + 1));
  return out;
}

std::vector<StatementText> make_statements(PgLayout layout) {
  using enum Statement;
  const std::vector<std::pair<Statement, std::string>> texts{
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
        INSERT INTO rocktable_tables (account, name, created, title, identifiers{, id})
        VALUES ($1::bytea, $2::bytea, coalesce($5::bigint, {clock} + $4::bigint), $3::bytea, ''::bytea{, next id})
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

      {Get, "SELECT ticks, record FROM rocktable_entities WHERE key = $1::bytea{in_part}"},
      {GetMany, R"(
        SELECT key, ticks, record FROM rocktable_entities WHERE key = ANY($1::bytea[]){in_parts} ORDER BY key)"},
      {Range, R"(
        SELECT key, ticks, record FROM rocktable_entities WHERE key >= $1::bytea AND key < $2::bytea
        ORDER BY key LIMIT $3::bigint)"},
      {RangeInPartition, R"(
        SELECT key, ticks, record FROM rocktable_entities WHERE key >= $1::bytea AND key < $2::bytea{in_part}
        ORDER BY key LIMIT $3::bigint)"},
      {RangeBytes, R"(
        SELECT coalesce(sum(bytes), 0)::bigint
        FROM (SELECT octet_length(key) + octet_length(record) AS bytes FROM rocktable_entities
              WHERE key >= $1::bytea AND key < $2::bytea LIMIT {counted}) some_entities)"},
      {CheckTable, R"(
        SELECT 1 FROM rocktable_tables WHERE account = $1::bytea AND name = $2::bytea AND id = $3::bigint)"},
      {LockTicks, R"(
        SELECT key, ticks FROM rocktable_entities WHERE key = ANY($1::bytea[]){in_part} ORDER BY key FOR UPDATE)"},
      {LockRows, R"(
        SELECT key, ticks, record FROM rocktable_entities WHERE key = ANY($1::bytea[]){in_part}
        ORDER BY key FOR UPDATE)"},

      {InsertOne, R"(
        INSERT INTO rocktable_entities AS e (key, ticks, record{, part})
        {values} $1::bytea, {fresh}, $2::bytea{, $part} {if_guarded}
        ON CONFLICT (key{, part}) DO NOTHING RETURNING ticks)"},
      {PutOne, R"(
        INSERT INTO rocktable_entities AS e (key, ticks, record{, part})
        {values} $1::bytea, {fresh}, $2::bytea{, $part} {if_guarded}
        ON CONFLICT (key{, part}) DO UPDATE SET ticks = greatest(excluded.ticks, {after_row}), record = excluded.record
        RETURNING ticks)"},
      {ReplaceOne, R"(
        UPDATE rocktable_entities AS e SET ticks = {next}, record = $2::bytea
        WHERE key = $1::bytea{in_part} {and_guarded} RETURNING ticks)"},
      {ReplaceMatch, R"(
        UPDATE rocktable_entities AS e SET ticks = {next}, record = $2::bytea
        WHERE key = $1::bytea{in_part} AND ticks = $6::bigint {and_guarded} RETURNING ticks)"},
      {DeleteOne, R"(
        DELETE FROM rocktable_entities WHERE key = $1::bytea{in_part} {and_guarded} RETURNING ticks)"},
      {DeleteMatch, R"(
        DELETE FROM rocktable_entities WHERE key = $1::bytea{in_part} AND ticks = $2::bigint {and_guarded}
        RETURNING ticks)"},

      {InsertNew, R"(
        INSERT INTO rocktable_entities AS e (key, ticks, record{, part})
        SELECT n.key, c.ticks, n.record{, n.part}
        FROM (SELECT {fresh} AS ticks OFFSET 0) c, unnest($1::bytea[], $2::bytea[]{, $parts}) AS n(key, record{, part})
        WHERE true {and_guarded} RETURNING ticks)"},
      {InsertMany, R"(
        INSERT INTO rocktable_entities (key, ticks, record{, part})
        SELECT n.key, $3::bigint, n.record{, n.part}
        FROM unnest($1::bytea[], $2::bytea[]{, $parts}) AS n(key, record{, part}))"},
      {UpdateMany, R"(
        UPDATE rocktable_entities e SET ticks = $3::bigint, record = n.record
        FROM unnest($1::bytea[], $2::bytea[]) AS n(key, record) WHERE e.key = n.key{in_part})"},
      {DeleteMany, "DELETE FROM rocktable_entities WHERE key = ANY($1::bytea[]){in_part}"},

      {NewTableId, "SELECT nextval('rocktable_ids')"},
      {AddTable, R"(
        INSERT INTO rocktable_tables (account, name, id, created, title, identifiers)
        VALUES ($1::bytea, $2::bytea, $3::bigint, $4::bigint, $5::bytea, $6::bytea))"},
      {EmptyTable, R"(
        WITH former AS (SELECT account, name, id FROM rocktable_tables
                        WHERE account = $1::bytea AND name = $2::bytea AND id <> $3::bigint FOR UPDATE),
             gone AS (UPDATE rocktable_tables t SET id = $3::bigint FROM former f
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
        INSERT INTO rocktable_entities (key, ticks, record{, part})
        SELECT $1::bytea || substring(key FROM 9), ticks, record{, moved part}
        FROM rocktable_entities WHERE key >= $2::bytea AND key < $3::bytea)"},
      {FindDropped, "SELECT 1 FROM rocktable_dropped WHERE claimed < {clock} - 300000000 LIMIT 1"},
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

      {FrontEnd, "{front_end}"},
      {Backend, R"(
        SELECT pid::bigint, {work}, {backend_start}, {server_start} FROM pg_stat_activity
        WHERE pid = pg_backend_pid())"},
      {EndWork, "{end_work}"},
  };
  std::vector<StatementText> out;
  out.reserve(texts.size() + 1);
  for (const auto& [statement, text] : texts) out.push_back(make_statement(statement, text, layout));
  if (layout == PgLayout::Distributed) out.push_back(make_statement(Guard, citus_guard(), layout));
  return out;
}

}  // namespace

const std::vector<StatementText>& all_statements(PgLayout layout) {
  if (layout == PgLayout::Plain) {
    static const auto kPlain = make_statements(PgLayout::Plain);
    return kPlain;
  }
  static const auto kDistributed = make_statements(PgLayout::Distributed);
  return kDistributed;
}

const StatementText& text_of(Statement statement, PgLayout layout) {
  return *std::ranges::find(all_statements(layout), statement, &StatementText::statement);
}

std::optional<std::string> refuse_format(std::int64_t format) {
  constexpr auto kLast = static_cast<std::int64_t>(PgLayout::Distributed);
  if (format <= kLast) return std::nullopt;
  return "it was written by a newer rocktable (format " + std::to_string(format) + "; this version reads up to " +
         std::to_string(kLast) + ")";
}

std::vector<std::string> session_settings(PgLayout layout) {
  // If this machine is cut off between the two round trips of a transaction, the database ends it and frees its rows.
  std::vector<std::string> out{"SET idle_in_transaction_session_timeout = 10000",
                               // To compile a statement takes longer than to run it.
                               "SET jit = off"};
  for (std::string& sql : layout == PgLayout::Plain ? plain_settings() : citus_settings())
    out.push_back(std::move(sql));
  return out;
}

std::string schema_sql(PgLayout layout) {
  const std::string sql =
      with_parts(R"(CREATE TABLE IF NOT EXISTS rocktable_meta (name text, value bytea NOT NULL, PRIMARY KEY (name));
CREATE TABLE IF NOT EXISTS rocktable_accounts (account bytea, properties bytea, PRIMARY KEY (account));
CREATE SEQUENCE IF NOT EXISTS rocktable_ids;
CREATE TABLE IF NOT EXISTS rocktable_tables (
  account bytea, name bytea, id bigint NOT NULL{default_id}, created bigint NOT NULL, title bytea NOT NULL,
  identifiers bytea NOT NULL, PRIMARY KEY (account, name));
CREATE TABLE IF NOT EXISTS rocktable_dropped (
  id bigint, since bigint NOT NULL, claimed bigint NOT NULL, PRIMARY KEY (id));
CREATE TABLE IF NOT EXISTS rocktable_entities (
  key bytea, ticks bigint NOT NULL, record bytea NOT NULL{part_column}, PRIMARY KEY (key{, part}));
ALTER TABLE rocktable_entities ALTER COLUMN record SET STORAGE EXTERNAL;
{counters}
{spread}INSERT INTO rocktable_meta (name, value) VALUES ('format', '{format}') ON CONFLICT (name) DO NOTHING;
INSERT INTO rocktable_meta (name, value) VALUES ('contents', '{contents}') ON CONFLICT (name) DO NOTHING;
)",
                 parts_of(layout));
  return replace_all(sql, "{contents}", new_contents_id());
}

}  // namespace rocktable
