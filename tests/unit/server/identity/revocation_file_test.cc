#include "server/identity/revocation_file.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("revocations: what is written is read again; without a file there are none") {
  const TemporaryFolder folder;
  CHECK(read_revocations(folder.path()).empty());
  for (const RevocationTimes& times : {RevocationTimes{{"acc", "2026-01-01T00:00:00.0000000Z"}}, RevocationTimes{}}) {
    write_revocations(folder.path(), times);
    CHECK(read_revocations(folder.path()) == times);
  }
}

TEST_CASE("revocations: another file is refused, because revoked keys would count again") {
  for (const std::string text : {"", "{}", "[]", R"({"version": 2, "revoked": {}})", R"({"version": 1})",
                                 R"({"version": 1, "revoked": {"acc": 1}})"}) {
    CAPTURE(text);
    const TemporaryFolder folder;
    std::ofstream(folder.path() / kRevocationFile) << text;
    CHECK_THROWS_AS(read_revocations(folder.path()), std::runtime_error);
  }
  CHECK_THROWS_AS(write_revocations("/proc/self/none", {}), std::runtime_error);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
