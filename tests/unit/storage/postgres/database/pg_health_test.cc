#include "storage/postgres/database/pg_health.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

struct Fixture {
  std::vector<std::string> said;
  PgHealth health{[this](const std::string& sentence) { said.push_back(sentence); }};
};

TEST_CASE_FIXTURE(Fixture, "a failure that lasts is told once, and its end") {
  CHECK(health.unavailable() == std::nullopt);
  const auto now = PgHealth::Clock::now();
  health.note_failure("Connection refused");
  health.note_failure("the server is starting up");
  CHECK(health.unavailable() == "the server is starting up");
  health.report(now);
  CHECK(said.empty());
  health.report(now + 1h);
  health.report(now + 2h);
  REQUIRE(said.size() == 1);
  CHECK(said[0] ==
        "the database does not answer: the server is starting up; requests wait for it, and then get 503 or 500");
  health.note_success();
  health.note_success();
  CHECK(health.unavailable() == std::nullopt);
  REQUIRE(said.size() == 2);
  CHECK(said[1].starts_with("the database answers again, after "));
}

TEST_CASE_FIXTURE(Fixture, "a failure of less than a second is not told") {
  const auto before = PgHealth::Clock::now();
  health.note_failure("the server closed the connection");
  health.report(before + 999ms);
  health.note_success();
  health.report(PgHealth::Clock::now() + 2s);
  CHECK(said.empty());
}

TEST_CASE("nobody needs to listen") {
  PgHealth health({});
  health.note_failure("Connection refused");
  health.report(PgHealth::Clock::now() + 2s);
  health.note_success();
  CHECK(health.unavailable() == std::nullopt);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
