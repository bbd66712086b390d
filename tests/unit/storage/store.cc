#include "tests/unit/storage/store.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "storage/postgres/database/pg_connection.h"

namespace rocktable {
namespace {

std::string database() {
  const char* set = std::getenv("ROCKTABLE_TEST_STORE");
  return set != nullptr ? set : "";
}

// Makes a schema of its own, which is cheaper than a database. It stays until the database is dropped.
StoreOptions new_schema(PgLayout layout) {
  static std::atomic<int> made{0};
  const std::string name = "unit_" + std::to_string(getpid()) + "_" + std::to_string(++made);
  StoreOptions out;
  out.url = database();
  PgHosts hosts(out.url, out.timeout);
  const PgHealth health({});
  PgConnection(hosts, health, PgDeadline::max())
      .run_script("DROP SCHEMA IF EXISTS " + name + " CASCADE; CREATE SCHEMA " + name);
  out.url += out.url.find('?') == std::string::npos ? '?' : '&';
  out.url += "options=-csearch_path%3D" + name;
  if (layout == PgLayout::Distributed) {
    std::ifstream file(CITUS_STAND_IN);
    const std::string stand_in(std::istreambuf_iterator<char>(file), {});
    PgHosts own_hosts(out.url, out.timeout);
    PgConnection(own_hosts, health, PgDeadline::max()).run_script(stand_in + schema_sql(layout));
  }
  return out;
}

}  // namespace

PgLayout layout_of_tests() {
  const char* set = std::getenv("ROCKTABLE_TEST_LAYOUT");
  return set != nullptr && set == std::string_view("distributed") ? PgLayout::Distributed : PgLayout::Plain;
}

bool is_in_database() { return !database().empty(); }

StoreOptions test_store() { return is_in_database() ? new_schema(layout_of_tests()) : in_memory(); }

StoreOptions test_store(PgLayout layout) { return new_schema(layout); }

TestStore::TestStore(bool kept) : options_(kept && !is_in_database() ? folder_.store() : test_store()) {}

std::vector<bool> kept_or_not() { return is_in_database() ? std::vector{true} : std::vector{false, true}; }

}  // namespace rocktable
