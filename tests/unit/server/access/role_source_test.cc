// RoleSource: the file of --roles and those that it names, read again when they change.
#include "server/access/role_source.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/unit/support/temporary_folder.h"
#include "tests/unit/support/wait_until.h"

namespace rocktable::TEST_FILE {
namespace {

const std::string kAlice = "aaaaaaaa-0000-0000-0000-000000000001";
const RequiredActions kRead{TableAction::ReadEntities};

void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

TEST_CASE("Roles are read again after a change of the file, or of one that it names") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "roles.txt", clerk = folder.path() / "clerk.json";
  const std::string lines = "role clerk.json\n" + kAlice + " Clerk\n";
  write(clerk, R"({"name": "Clerk", "dataActions": []})");
  write(file, lines);
  const auto roles = std::make_shared<Roles>();
  RoleSource source(file.string());
  roles->replace(source.read());
  source.watch(roles);
  const auto may_read = [&] { return roles->grants_of(kAlice, "", "acc")->permit(kRead, "t"); };
  CHECK_FALSE(may_read());
  write(clerk, R"({"name": "Clerk", "dataActions": ["*/entities/read"]})");
  CHECK(wait_until(may_read));
  write(file, "# nobody\n");
  CHECK(wait_until([&] { return !may_read(); }));
  write(file, lines);
  CHECK(wait_until(may_read));
  // A bad file changes nothing, and the next good one counts.
  write(clerk, "{");
  write(file, lines + kAlice + " Owner\n");
  write(clerk, R"({"name": "Clerk", "dataActions": ["*/entities/read"]})");
  CHECK(wait_until([&] { return roles->document()->assignments.size() == 2; }));
  write(file, kAlice + " Nothing\n");
  write(file, kAlice + " Delegat\n");
  std::filesystem::remove(file);
  CHECK(may_read());
  write(file, kAlice + " Owner\n");
  CHECK(wait_until([&] { return !may_read(); }));
}

TEST_CASE("Files of roles that cannot be read are errors") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "roles.txt";
  CHECK_THROWS_AS(RoleSource(file.string()).read(), std::runtime_error);
  write(file, "role absent.json\n");
  CHECK_THROWS_WITH_AS(RoleSource(file.string()).read(), doctest::Contains("absent.json"), std::runtime_error);
  CHECK_THROWS_AS(RoleSource(folder.path().string()).read(), std::runtime_error);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
