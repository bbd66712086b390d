// The effect of each write on an entity.
#include "storage/mutation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

constexpr DateTime kThen{1000}, kOther{1001};
constexpr Condition kNone{};
constexpr Condition kAny{Condition::Kind::Any, {}};
constexpr Condition kSame{Condition::Kind::ETag, kThen};
constexpr Condition kDifferent{Condition::Kind::ETag, kOther};

// Applies `write` to an entity with these properties, or to none.
Result<std::optional<Properties>> applied(const Mutation& write, const std::optional<Properties>& previous) {
  const auto views = previous ? view_of(*previous) : std::vector<PropertyView>();
  const auto before = previous ? std::optional(EntityView{"pk", write.row_key, kThen, views}) : std::nullopt;
  EncodedProperties scratch;
  const auto after = apply(write, "pk", before, scratch);
  if (!after) return after.error();
  return *after == nullptr ? std::nullopt : std::optional(to_properties((*after)->decode()));
}

// Returns "stored", "deleted", or the code of the refusal.
std::string outcome(const Result<std::optional<Properties>>& result) {
  if (!result) return std::string(to_string(result.error().code));
  return *result ? "stored" : "deleted";
}

// Returns the properties such as `a=1 b='x'` in stored order; otherwise the outcome.
std::string stored(const Result<std::optional<Properties>>& result) {
  if (!result || !*result) return outcome(result);
  std::string out;
  for (const auto& [name, value] : **result) {
    if (!out.empty()) out += ' ';
    out += name + "=" + to_string(view_of(value));
  }
  return out;
}

Properties numbered(std::size_t first, std::size_t count) {
  Properties out;
  for (std::size_t i = first; i < first + count; ++i) out.push_back({"p" + std::to_string(i), std::int32_t{0}});
  return out;
}

// Source: learn.microsoft.com/rest/api/storageservices/update-entity2, merge-entity,
// insert-or-replace-entity, insert-or-merge-entity, delete-entity1, insert-entity
TEST_CASE("the effect of a write depends on its kind, its condition and the previous entity") {
  const struct {
    std::string_view what;
    WriteKind kind;
    Condition condition;
    std::string_view if_absent, if_there;
  } cases[] = {
      {"insert", WriteKind::Insert, kNone, "stored", "EntityAlreadyExists"},
      {"insert, any", WriteKind::Insert, kAny, "stored", "EntityAlreadyExists"},
      {"insert, same ETag", WriteKind::Insert, kSame, "stored", "EntityAlreadyExists"},
      {"insert, other ETag", WriteKind::Insert, kDifferent, "stored", "EntityAlreadyExists"},
      {"insert or replace", WriteKind::Replace, kNone, "stored", "stored"},
      {"update, any", WriteKind::Replace, kAny, "ResourceNotFound", "stored"},
      {"update, same ETag", WriteKind::Replace, kSame, "ResourceNotFound", "stored"},
      {"update, other ETag", WriteKind::Replace, kDifferent, "ResourceNotFound", "UpdateConditionNotSatisfied"},
      {"insert or merge", WriteKind::Merge, kNone, "stored", "stored"},
      {"merge, any", WriteKind::Merge, kAny, "ResourceNotFound", "stored"},
      {"merge, same ETag", WriteKind::Merge, kSame, "ResourceNotFound", "stored"},
      {"merge, other ETag", WriteKind::Merge, kDifferent, "ResourceNotFound", "UpdateConditionNotSatisfied"},
      {"delete, any", WriteKind::Delete, kAny, "ResourceNotFound", "deleted"},
      {"delete, same ETag", WriteKind::Delete, kSame, "ResourceNotFound", "deleted"},
      {"delete, other ETag", WriteKind::Delete, kDifferent, "ResourceNotFound", "UpdateConditionNotSatisfied"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const Mutation write{c.kind, "rk", c.condition, {}};
    CHECK(outcome(applied(write, std::nullopt)) == c.if_absent);
    CHECK(outcome(applied(write, Properties{{"a", true}})) == c.if_there);
    // If the outcome depends on the entity, or includes it, the entity must be read.
    if (c.if_absent != c.if_there || c.kind == WriteKind::Merge) CHECK(needs_previous(write));
  }
  CHECK_FALSE(needs_previous({WriteKind::Replace, "rk", kNone, {}}));
}

// Recorded from the service: an entity that was updated lists its properties sorted by name.
TEST_CASE("an insert keeps the order of the properties, other writes sort them by name") {
  const Properties request{
      {"b", std::int32_t{1}}, {"a", std::int32_t{2}}, {"_c", std::int32_t{3}}, {"B", std::int32_t{4}}};
  const Properties previous{{"z", true}, {"b", false}};
  const struct {
    std::string_view what;
    WriteKind kind;
    std::string_view onto_nothing, onto_previous;
  } cases[] = {
      {"insert", WriteKind::Insert, "b=1 a=2 _c=3 B=4", "EntityAlreadyExists"},
      {"replace", WriteKind::Replace, "B=4 _c=3 a=2 b=1", "B=4 _c=3 a=2 b=1"},
      {"merge", WriteKind::Merge, "B=4 _c=3 a=2 b=1", "B=4 _c=3 a=2 b=1 z=true"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const Mutation write{c.kind, "rk", kNone, request};
    CHECK(stored(applied(write, std::nullopt)) == c.onto_nothing);
    CHECK(stored(applied(write, previous)) == c.onto_previous);
  }
}

TEST_CASE("names are sorted by UTF-16 code unit") {
  // U+10400 is D801 DC00 in UTF-16, which sorts before U+F900; in UTF-8 it sorts after.
  const std::string deseret = "\xF0\x90\x90\x80", cjk = "\xEF\xA4\x80", latin = "\xC3\xA9";
  const Mutation write{WriteKind::Replace, "rk", kNone, {{cjk, true}, {deseret, true}, {latin, true}, {"z", true}}};
  CHECK(stored(applied(write, std::nullopt)) == "z=true " + latin + "=true " + deseret + "=true " + cjk + "=true");
}

TEST_CASE("a merge replaces and adds properties") {
  const Properties previous{{"c", std::int32_t{1}}, {"a", std::string("old")}, {"b", 2.5}};
  const struct {
    std::string_view what;
    Properties changes;
    std::string_view result;
  } cases[] = {
      {"nothing", {}, "a='old' b=2.5 c=1"},
      {"another property", {{"d", true}}, "a='old' b=2.5 c=1 d=true"},
      {"the same property", {{"a", std::string("new")}}, "a='new' b=2.5 c=1"},
      {"with another type", {{"a", std::int64_t{5}}}, "a=5L b=2.5 c=1"},
      {"of a name in other case", {{"A", true}}, "A=true a='old' b=2.5 c=1"},
      {"all of them", {{"b", false}, {"c", false}, {"a", false}}, "a=false b=false c=false"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    for (const Condition& condition : {kNone, kAny, kSame})
      CHECK(stored(applied({WriteKind::Merge, "rk", condition, c.changes}, previous)) == c.result);
  }
}

TEST_CASE("a replace removes all previous properties") {
  const Properties previous{{"a", true}, {"b", true}};
  CHECK(stored(applied({WriteKind::Replace, "rk", kAny, {{"c", true}}}, previous)) == "c=true");
  CHECK(stored(applied({WriteKind::Replace, "rk", kAny, {}}, previous)).empty());
}

TEST_CASE("a merge may not outgrow the number of properties") {
  const Mutation one_more{WriteKind::Merge, "rk", kNone, {{"more", true}}};
  CHECK(outcome(applied(one_more, numbered(0, kMaxProperties - 1))) == "stored");
  CHECK(outcome(applied(one_more, numbered(0, kMaxProperties))) == "TooManyProperties");
  const Properties all = numbered(0, kMaxProperties);
  CHECK(outcome(applied({WriteKind::Merge, "rk", kNone, all}, all)) == "stored");
}

TEST_CASE("a merge may not outgrow the size of an entity, keys included") {
  Properties large;
  const auto size = [&] { return entity_size({"pk", "rk"}, large); };
  for (int i = 0; i < 15; ++i) large.push_back({"p" + std::to_string(i), Binary{std::string(kMaxBinaryBytes, 'x')}});
  const std::size_t added = entity_size({"", ""}, {{"more", Binary{}}}) - entity_size({"", ""}, Properties{});
  const std::size_t left = kMaxEntityBytes - size() - added;
  REQUIRE(left <= kMaxBinaryBytes);
  const Properties fits{{"more", Binary{std::string(left, 'x')}}};
  CHECK(outcome(applied({WriteKind::Merge, "rk", kNone, fits}, large)) == "stored");
  const Properties too_much{{"more", Binary{std::string(left + 1, 'x')}}};
  CHECK(outcome(applied({WriteKind::Merge, "rk", kNone, too_much}, large)) == "EntityTooLarge");
  // Same properties, longer row key.
  CHECK(outcome(applied({WriteKind::Merge, "rk2", kNone, fits}, large)) == "EntityTooLarge");
  // A replaced property counts once.
  CHECK(outcome(applied({WriteKind::Merge, "rk", kNone, large}, large)) == "stored");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
