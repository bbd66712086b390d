#include "storage/postgres/database/pg_hosts.h"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <string>

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

std::string value(const PgHost& host, const std::string& name) {
  for (const auto& [its_name, its_value] : host)
    if (its_name == name) return its_value;
  return "(none)";
}

TEST_CASE("each host of a URL has its own port, and what the URL says for all") {
  const PgHosts hosts("postgresql://user@one:5433,two/db?sslmode=require", 10s);
  REQUIRE(hosts.size() == 2);
  CHECK(value(hosts[0], "host") == "one");
  CHECK(value(hosts[0], "port") == "5433");
  CHECK(value(hosts[1], "host") == "two");
  CHECK(value(hosts[1], "port") == "");
  for (std::size_t i : {0, 1}) {
    CHECK(value(hosts[i], "user") == "user");
    CHECK(value(hosts[i], "dbname") == "db");
    CHECK(value(hosts[i], "sslmode") == "require");
  }
}

TEST_CASE("one port serves all hosts; addresses go with their hosts") {
  const PgHosts hosts("postgresql:///db?host=one,two,three&port=5433&hostaddr=10.0.0.1,10.0.0.2,10.0.0.3", 10s);
  REQUIRE(hosts.size() == 3);
  CHECK(value(hosts[2], "host") == "three");
  CHECK(value(hosts[2], "hostaddr") == "10.0.0.3");
  CHECK(value(hosts[2], "port") == "5433");
}

TEST_CASE("a URL without a host leaves it to libpq, and its environment") {
  const PgHosts hosts("postgresql:///db", 10s);
  REQUIRE(hosts.size() == 1);
  CHECK(value(hosts[0], "host") == "(none)");
}

TEST_CASE("what the URL says goes before the defaults") {
  const PgHosts plain("postgresql://one/db", 10s);
  CHECK(value(plain[0], "target_session_attrs") == "read-write");
  CHECK(value(plain[0], "application_name") == "rocktable");
  const PgHosts own("postgresql://one/db?target_session_attrs=any&application_name=mine", 10s);
  CHECK(value(own[0], "target_session_attrs") == "any");
  CHECK(value(own[0], "application_name") == "mine");
}

TEST_CASE("a connection takes at most as long as a request may wait, within 2 and 10 seconds") {
  CHECK(PgHosts("postgresql://one/db", 500ms).connect_timeout() == 2s);
  CHECK(PgHosts("postgresql://one/db", 3s).connect_timeout() == 3s);
  CHECK(PgHosts("postgresql://one/db", 60s).connect_timeout() == 10s);
  CHECK(PgHosts("postgresql://one,two/db", 10s).connect_timeout() == 5s);
  CHECK(PgHosts("postgresql://one/db?connect_timeout=20", 3s).connect_timeout() == 20s);
}

TEST_CASE("the host that was reached last is the best") {
  PgHosts hosts("postgresql://one,two/db", 10s);
  CHECK(hosts.best() == 0);
  hosts.note_reached(1);
  CHECK(hosts.best() == 1);
}

TEST_CASE("a URL that libpq does not understand is told as libpq tells it") {
  CHECK(PgHosts("postgresql://one/db?no_such=1", 10s).mistake().find("no_such") != std::string::npos);
  CHECK(PgHosts("postgresql://one/db", 10s).mistake().empty());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
