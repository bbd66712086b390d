// Which edits of a begun migration are accepted.
#include "client/migration/resumption.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace rocktable::migration::TEST_FILE {
namespace {

Rekey rekey(const char* row_key, OnMissing action) {
  Rekey out{.table = "t", .which = {}, .partition_key = {}, .row_key = KeyTemplate::parse(row_key)};
  out.missing.action = action;
  return out;
}

Migration of(std::vector<Step> steps) { return {1, "1.1", "words", std::move(steps), "file"}; }

RunningMigration begun(const Migration& migration, int step, int phase) {
  RunningMigration out{checksum(migration), {}, step, phase};
  for (std::size_t i = 0; i < migration.steps.size() && i <= static_cast<std::size_t>(step); ++i)
    out.digests.push_back(digest(migration.steps[i]));
  return out;
}

const Step kOne = CreateTable{"one"}, kTwo = CreateTable{"two"};
const Step kStrict = rekey("{A}", OnMissing::Fail), kSkips = rekey("{A}", OnMissing::Skip);

TEST_CASE("An edit must not change what is done") {
  const Step other = rekey("{B}", OnMissing::Fail);
  struct {
    std::vector<Step> began, now;
    int step, phase;
    const char* result;
  } cases[] = {
      {{kOne, kStrict}, {kOne, kStrict}, 1, 0, "same"},
      {{kOne, kStrict}, {kOne, kStrict, kTwo}, 1, 2, "edited"},
      {{kOne, kStrict, kTwo}, {kOne, kStrict}, 1, 2, "edited"},
      {{kOne, kStrict}, {kOne, other}, 1, 0, "restarts"},
      {{kOne, kStrict}, {kOne, kTwo, kStrict}, 1, 0, "restarts"},
      {{kOne, kStrict}, {kOne}, 1, 0, "restarts"},
      {{kOne, kStrict}, {kOne, kSkips}, 1, 0, "restarts"},
      {{kOne, kStrict}, {kOne, kSkips}, 1, 1, "edited"},
      {{kOne, kSkips},
       {kOne, kStrict},
       1,
       1,
       "step 2 of 2 (re-key t, RowKey '{A}') is not the step that has begun to change tables"},
      {{kOne, kStrict},
       {kOne, other},
       1,
       1,
       "step 2 of 2 (re-key t, RowKey '{B}') is not the step that has begun to change tables"},
      {{kOne, kStrict}, {kOne}, 1, 1, "step 2 has begun to change tables, and is missing now"},
      {{kOne, kStrict}, {kTwo, kStrict}, 1, 0, "step 1 of 2 (create table two) is not the step that is done"},
      {{kOne, kStrict}, {kStrict}, 1, 0, "step 1 of 1 (re-key t, RowKey '{A}') is not the step that is done"},
      {{kOne, kStrict}, {}, 1, 0, "step 1 is done, and is missing now"},
      {{kOne, kTwo}, {kOne, kTwo, kStrict}, 2, 0, "edited"},
      {{kOne, kTwo}, {kOne}, 2, 0, "step 2 is done, and is missing now"},
  };
  for (const auto& c : cases) {
    const auto resumption = resumption_of(begun(of(c.began), c.step, c.phase), of(c.now));
    std::string result = resumption.refusal;
    if (result.empty()) result = resumption.restarts ? "restarts" : resumption.is_edited ? "edited" : "same";
    CHECK(result == c.result);
  }
}

TEST_CASE("Version and description may change") {
  Migration migration = of({kOne, kStrict});
  const auto running = begun(migration, 1, 2);
  migration.description = "other";
  CHECK(resumption_of(running, migration).refusal.empty());
  CHECK_FALSE(resumption_of(running, migration).restarts);
}

TEST_CASE("Without digests of the steps only the same content continues") {
  auto running = begun(of({kOne, kStrict}), 0, 0);
  running.digests.clear();
  CHECK_FALSE(resumption_of(running, of({kOne, kStrict})).is_edited);
  CHECK(resumption_of(running, of({kOne})).refusal == "there is no record of the content of each step");
}

}  // namespace
}  // namespace rocktable::migration::TEST_FILE
