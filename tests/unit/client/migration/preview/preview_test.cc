// The simulation of waiting migrations, against a running server.
#include "client/migration/preview/preview.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "client/connection_string.h"
#include "tests/unit/server/running_server.h"
#include "tests/unit/storage/store.h"

namespace rocktable::migration::TEST_FILE {
namespace {

Migration migration_of(std::int64_t id, std::vector<Step> steps) {
  return {id, "", "", std::move(steps), std::to_string(id) + ".json"};
}

WriteEntities people(int count) {
  WriteEntities out{.mode = WriteMode::Insert, .table = "people", .entities = {}};
  for (int i = 0; i < count; ++i)
    out.entities.push_back({{"p", std::to_string(i)}, {}, {{"N", std::int32_t{i}}, {"T", std::string(100, 'x')}}});
  out.create_table = true;
  return out;
}

Rekey rekey(const char* row_key) {
  return {.table = "people", .which = {}, .partition_key = {}, .row_key = KeyTemplate::parse(row_key)};
}

struct Account {
  RunningServer server;
  TableEndpoint endpoint = parse_connection_string(server.connection_string());

  // The steps as text: `entities`, `!failure` or `entities ?what is not simulated`.
  std::vector<std::string> preview(const std::vector<Migration>& migrations, std::size_t max_bytes = kPreviewBytes) {
    std::vector<std::string> out;
    auto waiting = Migrator(endpoint).status(migrations);
    std::erase_if(waiting, [](const MigrationStatus& status) { return status.state == MigrationState::Applied; });
    for (const auto& one :
         preview_migrations(endpoint, {.http = {}, .max_bytes = max_bytes, .on_message = {}}, migrations, waiting))
      for (const auto& step : one.steps)
        out.push_back(!step.failure.empty() ? "!" + step.failure
                                            : std::to_string(step.entities) +
                                                  (step.not_simulated.empty() ? "" : " ?" + step.not_simulated));
    return out;
  }
};

using Texts = std::vector<std::string>;

TEST_CASE("A step sees what earlier steps would do, also of earlier migrations") {
  Account account;
  const std::vector<Migration> first = {
      migration_of(1, {people(10), DeleteEntities{"people", {{}, {}, "N ge 8"}}, rekey("x{N}"),
                       ChangeProperty{"people", {}, RenameProperty{"N", "M"}}, CopyTable{"people", "Copy"}}),
      migration_of(2, {ClearTable{"people"}, DeleteEntities{"COPY", {"p", "x3", {}}}, ClearTable{"copy"},
                       RenameTable{"copy", "other", true}, ClearTable{"copy"}}),
  };
  CHECK(account.preview(first) ==
        Texts{"10", "2", "8", "8", "8", "8", "1", "7", "0", "!the table copy does not exist"});
  CHECK(Migrator(account.endpoint).status({}).empty());
  CHECK_FALSE(account.server.store().get_table({std::string(kDevelopmentAccount), "people"}));
}

TEST_CASE("A preview ends where a step would fail") {
  Account account;
  Rekey same = rekey("same"), index = rekey("x{RowKey}"), one = rekey("1");
  index.keep_old = true;
  one.which.filter = "N eq 0";
  struct {
    Step step;
    const char* failure;
  } cases[] = {
      {same, "!the table people: two entities would get the key (\"p\", \"same\")"},
      {one, "!the table people: the new key (\"p\", \"1\") belongs to an entity that is not re-keyed"},
      {rekey("{A}"),
       "!the table people: 3 entities have no property A: (\"p\", \"0\"), (\"p\", \"1\"), (\"p\", \"2\") (give them "
       "the property, or the step \"onMissing\": \"skip\" or \"default\")"},
      {rekey("{T:ticks}"),
       "!the table people, entity (\"p\", \"0\"): the property T is Edm.String, and must be a time"},
      {ChangeProperty{"people", {}, RetypeProperty{"T", EdmType::Int32}},
       "!the table people, entity (\"p\", \"0\"): its property T, '"},
      {people(1), "!the table people, entity (\"p\", \"0\"): it exists already"},
      {CopyTable{"absent", "other"}, "!the table absent does not exist"},
      {ClearTable{"absent"}, "!the table absent does not exist"},
  };
  for (const auto& c : cases) {
    const auto told = account.preview({migration_of(1, {people(3), c.step, CreateTable{"last"}})});
    REQUIRE(told.size() == 2);
    CHECK(told[0] == "3");
    CHECK(told[1].starts_with(c.failure));
  }
  const auto told = account.preview({migration_of(1, {people(3), index, index})});
  CHECK(told ==
        Texts{"3", "3", "!the table people: the new key (\"p\", \"x0\") belongs to an entity that is not re-keyed"});
}

TEST_CASE("Of tables that do not fit it says what it does not simulate") {
  Account account;
  Migrator(account.endpoint).up({migration_of(1, {people(200)})});
  constexpr std::size_t kSmall = 20'000;
  const Step add = ChangeProperty{"people", {}, AddProperty{"A", std::string("b")}};
  const Step fails = ChangeProperty{"people", {}, RetypeProperty{"T", EdmType::Int32}};
  // The last step on the table needs no memory.
  CHECK(account.preview({migration_of(2, {add})}, kSmall) == Texts{"200"});
  const char* const later = "the table people is too large, so later steps do not know its content";
  const char* const unknown = "the content of the table people is not known";
  CHECK(account.preview({migration_of(2, {add, add, DeleteTable{"people"}, people(3)})}, kSmall) ==
        Texts{std::string("200 ?") + later, std::string("0 ?") + unknown, "0", "3"});
  CHECK(account.preview({migration_of(2, {fails})}, kSmall).at(0).starts_with("!"));
  CHECK(account.preview({migration_of(2, {rekey("x{RowKey}")})}, kSmall)
            .at(0)
            .starts_with("200 ?the table people is too large to compare the new keys"));
  // A change that makes a table too large
  const Step grow = ChangeProperty{"people", {}, AddProperty{"A", std::string(1000, 'b')}};
  CHECK(account.preview({migration_of(2, {grow, add})}, 150'000) ==
        Texts{std::string("200 ?") + later, std::string("0 ?") + unknown});
  CHECK(account.preview({migration_of(2, {grow, add})}) == Texts{"200", "0"});
}

}  // namespace
}  // namespace rocktable::migration::TEST_FILE
