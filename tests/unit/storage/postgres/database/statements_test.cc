// What the database does for each statement, as it says itself: it reads by the primary key and sorts nothing. Needs a
// database (store.h).
#include "storage/postgres/database/statements.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "storage/postgres/database/pg_connection.h"
#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

// Statements that name entities by their keys, or by a range of keys.
const std::set<Statement> kByKey{
    Statement::Get,          Statement::GetMany,      Statement::Range,           Statement::RangeBytes,
    Statement::LockTicks,    Statement::LockRows,     Statement::InsertOne,       Statement::PutOne,
    Statement::ReplaceOne,   Statement::ReplaceMatch, Statement::DeleteOne,       Statement::DeleteMatch,
    Statement::InsertNew,    Statement::InsertMany,   Statement::UpdateMany,      Statement::DeleteMany,
    Statement::CopyEntities, Statement::Sweep,        Statement::RangeInPartition};

constexpr std::array<PgLayout, 2> kLayouts{PgLayout::Plain, PgLayout::Distributed};

// A schema with the tables, and enough rows that reading them all would be a bad plan.
class Database {
 public:
  explicit Database(PgLayout layout)
      : options_(test_store(layout)),
        hosts_(options_.url, options_.timeout),
        connection_(hosts_, health_, PgDeadline::max()) {
    connection_.run_script(schema_sql(layout));
    for (const std::string& setting : session_settings(layout)) connection_.run_script(setting);
    // Those of citus_sql.cc come with the database, for connections that are made later.
    for (const char* other : {"seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin"})
      connection_.run_script(std::string("SET enable_") + other + " = off");
    const std::string part = layout == PgLayout::Distributed ? ", i % 20" : "";
    connection_.run_script(
        "INSERT INTO rocktable_entities SELECT decode(lpad(to_hex(i % 20), 16, '0') || lpad(to_hex(i), 16, "
        "'0'), 'hex'), i, '\\x00'::bytea" +
        part +
        " FROM generate_series(1, 50000) i;"
        "INSERT INTO rocktable_tables SELECT '\\x61'::bytea, convert_to(i::text, 'UTF8'), i, 0, "
        "'\\x61'::bytea, ''::bytea FROM generate_series(1, 5000) i;"
        "ANALYZE rocktable_entities; ANALYZE rocktable_tables");
  }

  PgConnection& operator*() { return connection_; }

  // Returns the plan of a statement, for parameters of its types.
  std::string plan_of(const std::string& sql) {
    connection_.run_script("PREPARE looked_at AS " + sql);
    const PgRows rows = connection_.query("EXPLAIN (COSTS OFF) EXECUTE looked_at" + parameters_of(sql));
    std::string out;
    for (int row = 0; row < rows.size(); ++row) out.append(rows.bytes(row, 0)).append("\n");
    connection_.run_script("DEALLOCATE looked_at");
    return out;
  }

 private:
  // Values for `$1::type, $2::type ...`: a range of keys, if there are two.
  static std::string parameters_of(const std::string& sql) {
    static const std::regex kParameter(R"(\$(\d+)::(\w+(\[\])?))");
    std::map<int, std::string> types;
    for (std::sregex_iterator found(sql.begin(), sql.end(), kParameter), end; found != end; ++found)
      types[std::stoi((*found)[1])] = (*found)[2];
    std::string out;
    for (const auto& [number, type] : types) {
      out += out.empty() ? "(" : ", ";
      if (type == "bytea[]") out += "ARRAY['\\x000000000000000100'::bytea, '\\x000000000000000200']";
      if (type == "bytea") out += "'\\x00000000000000010" + std::to_string(number) + "'::bytea";
      if (type == "bigint" || type == "int") out += "100";
      if (type == "int[]") out += "ARRAY[1, 2]";
    }
    return out.empty() ? out : out + ")";
  }

  StoreOptions options_;
  PgHosts hosts_;
  PgHealth health_{{}};
  PgConnection connection_;
};

TEST_CASE("entities are read and written by the primary key, in its order, without a sort" *
          doctest::skip(!is_in_database())) {
  for (const PgLayout layout : kLayouts) {
    Database database(layout);
    int looked_at = 0;
    for (const StatementText& text : all_statements(layout)) {
      if (!kByKey.contains(text.statement)) continue;
      const std::string plan = database.plan_of(text.sql);
      CAPTURE(text.sql);
      CAPTURE(plan);
      CHECK(plan.find("Seq Scan on rocktable_") == plan.npos);
      CHECK(plan.find("Sort") == plan.npos);
      ++looked_at;
    }
    CHECK(looked_at == static_cast<int>(kByKey.size()));
  }
}

TEST_CASE("a page of table names is read by the primary key, without a sort" * doctest::skip(!is_in_database())) {
  Database database(PgLayout::Plain);
  for (const Statement statement : {Statement::ListTables, Statement::FindTable}) {
    const std::string plan = database.plan_of(text_of(statement, PgLayout::Plain).sql);
    CAPTURE(plan);
    CHECK(plan.find("Index Scan using rocktable_tables_pkey") != plan.npos);
    CHECK(plan.find("Sort") == plan.npos);
  }
}

TEST_CASE("no part stays in braces, and none is without its parameters") {
  for (const PgLayout layout : kLayouts)
    for (const StatementText& text : all_statements(layout)) {
      CAPTURE(text.sql);
      CHECK(text.sql.find('{') == text.sql.npos);
      CHECK(text.sql.find("$part") == text.sql.npos);
      CHECK(text.sql.find("$account") == text.sql.npos);
    }
  CHECK(schema_sql(PgLayout::Distributed).find('{') == std::string::npos);
}

TEST_CASE("each statement on entities says which part it has, or that it is for several") {
  const std::set<Statement> for_several{Statement::Range, Statement::RangeBytes, Statement::Sweep};
  for (const StatementText& text : all_statements(PgLayout::Distributed)) {
    CAPTURE(text.sql);
    const bool names_entities = text.sql.find("rocktable_entities") != text.sql.npos;
    CHECK((text.part != PartOf::Nothing) == (names_entities && !for_several.contains(text.statement)));
  }
  for (const StatementText& text : all_statements(PgLayout::Plain)) CHECK(text.sql.find("part") == text.sql.npos);
}

// Citus refuses them, because they would run on several nodes: volatile functions where a row is changed or returned,
// and functions that are not immutable behind ON CONFLICT DO UPDATE.
TEST_CASE("what changes or returns rows has no function that Citus refuses" * doctest::skip(!is_in_database())) {
  Database database(PgLayout::Distributed);
  const auto volatility_of = [&](const std::string& function) -> char {
    const PgRows rows = (*database).query("SELECT max(provolatile) FROM pg_proc WHERE proname = '" + function + "'");
    return rows.is_null(0, 0) ? 'i' : rows.bytes(0, 0).front();
  };
  const auto check_behind = [&](const std::string& sql, const std::string& words, const std::string& refused) {
    const auto begin = sql.find(words);
    if (begin == sql.npos) return 0;
    static const std::regex kFunction(R"((\w+)\()");
    for (std::sregex_iterator found(sql.begin() + static_cast<std::ptrdiff_t>(begin), sql.end(), kFunction), end;
         found != end; ++found) {
      const std::string function = (*found)[1];
      CAPTURE(sql);
      CAPTURE(function);
      CHECK(refused.find(volatility_of(function)) == refused.npos);
    }
    return 1;
  };
  int looked_at = 0;
  for (const StatementText& text : all_statements(PgLayout::Distributed)) {
    looked_at += check_behind(text.sql, "UPDATE rocktable", "v") + check_behind(text.sql, "RETURNING", "v");
    looked_at += check_behind(text.sql, "DO UPDATE", "vs");
  }
  CHECK(looked_at > 20);
  CHECK(volatility_of("clock_timestamp") == 'v');
  CHECK(volatility_of("statement_timestamp") == 's');
}

}  // namespace
}  // namespace rocktable::TEST_FILE
