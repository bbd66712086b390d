// What the database does for each statement, as it says itself: it reads by the primary key and sorts nothing. Needs a
// database (store.h).
#include "storage/postgres/database/statements.h"

#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <set>
#include <string>

#include "storage/postgres/database/pg_connection.h"
#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

// Statements that name entities by their keys, or by a range of keys.
const std::set<Statement> kByKey{Statement::Get,          Statement::GetMany,      Statement::Range,
                                 Statement::RangeBytes,   Statement::LockTicks,    Statement::LockRows,
                                 Statement::InsertOne,    Statement::PutOne,       Statement::ReplaceOne,
                                 Statement::ReplaceMatch, Statement::DeleteOne,    Statement::DeleteMatch,
                                 Statement::InsertNew,    Statement::InsertMany,   Statement::UpdateMany,
                                 Statement::DeleteMany,   Statement::CopyEntities, Statement::Sweep};

// A schema with the tables, and enough rows that reading them all would be a bad plan.
class Database {
 public:
  Database()
      : options_(test_store()),
        hosts_(options_.url, options_.timeout),
        connection_(hosts_, health_, PgDeadline::max()) {
    connection_.run_script(schema_sql());
    for (const std::string& setting : session_settings()) connection_.run_script(setting);
    connection_.run_script(
        "INSERT INTO rocktable_entities SELECT decode(lpad(to_hex(i % 20), 16, '0') || lpad(to_hex(i), 16, "
        "'0'), 'hex'), i, '\\x00'::bytea FROM generate_series(1, 50000) i;"
        "INSERT INTO rocktable_tables SELECT '\\x61'::bytea, convert_to(i::text, 'UTF8'), i, 0, "
        "'\\x61'::bytea, ''::bytea FROM generate_series(1, 5000) i;"
        "ANALYZE rocktable_entities; ANALYZE rocktable_tables");
  }

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
      if (type == "bigint") out += "100";
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
  Database database;
  int looked_at = 0;
  for (const auto& [statement, sql] : all_statements()) {
    if (!kByKey.contains(statement)) continue;
    const std::string plan = database.plan_of(sql);
    CAPTURE(sql);
    CAPTURE(plan);
    CHECK(plan.find("Seq Scan on rocktable_") == plan.npos);
    CHECK(plan.find("Sort") == plan.npos);
    ++looked_at;
  }
  CHECK(looked_at == static_cast<int>(kByKey.size()));
}

TEST_CASE("a page of table names is read by the primary key, without a sort" * doctest::skip(!is_in_database())) {
  Database database;
  for (const auto& [statement, sql] : all_statements()) {
    if (statement != Statement::ListTables && statement != Statement::FindTable) continue;
    const std::string plan = database.plan_of(sql);
    CAPTURE(plan);
    CHECK(plan.find("Index Scan using rocktable_tables_pkey") != plan.npos);
    CHECK(plan.find("Sort") == plan.npos);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
