// The process group in /proc/PID/stat, and the CPU clocks of a process.
#include "bench/cpu_time.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <string_view>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("the process group is the third field after the name, which may contain blanks and parentheses") {
  const struct {
    std::string_view stat;
    std::optional<pid_t> group;
  } cases[] = {
      {"41 (node) S 7 40 3 0 -1 4194304", 40},
      {"41 (Web Content) S 7 40 3 0", 40},
      {"41 (a) S 1 2 3) S 7 40 3 0", 40},
      {"41 ((sd-pam)) S 7 40 3 0", 40},
      {"41 ()) S 7 40", 40},
      {"2 (kthreadd) S 0 0 0 0", 0},
      {"41 (node) S 7 x 3", std::nullopt},
      {"41 (node) S 7 40x 3", std::nullopt},
      {"41 (node) S 7 ", std::nullopt},
      {"41 (node) S 7", std::nullopt},
      {"41 (node)", std::nullopt},
      {"41 (node", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& c : cases) {
    CAPTURE(c.stat);
    CHECK(group_in_stat(c.stat) == c.group);
  }
}

TEST_CASE("the CPU clocks of a group include that of this process") {
  clockid_t own = 0;
  REQUIRE(clock_getcpuclockid(getpid(), &own) == 0);
  const CpuClocks clocks = cpu_clocks_of_group(getpgrp());
  CHECK(std::ranges::find(clocks, own) != clocks.end());
  const double before = own_cpu_seconds();
  CHECK(cpu_seconds({own}).value() >= before);
}

TEST_CASE("no process has no CPU time") { CHECK(cpu_seconds({}) == 0); }

TEST_CASE("the client's share of the CPU time is 0 if nothing was measured") {
  CHECK(CpuTimes{}.client_share() == 0);
  CHECK(CpuTimes{1, 3}.client_share() == 0.25);
  CHECK((CpuTimes{1, 2} += {2, 1}).client_share() == 0.5);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
