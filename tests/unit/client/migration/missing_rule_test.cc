// Rules for missing properties, and the entities that messages name.
#include "client/migration/missing_rule.h"

#include <doctest/doctest.h>

#include "client/migration/key_template.h"
#include "client/migration/property_change.h"

namespace rocktable::migration::TEST_FILE {
namespace {

TEST_CASE("Entities are counted, and the first of each property are named") {
  MissingEntities missing;
  CHECK(missing.empty());
  for (int i = 0; i < 7; ++i) missing.add("B", {"p", std::to_string(i)});
  missing.add("A", {"p\"", "\n"});
  CHECK(missing.count() == 8);
  CHECK(missing.sentence() ==
        "1 entity has no property A: (\"p\\\"\", \"\\n\"); 7 entities have no property B: (\"p\", \"0\"), "
        "(\"p\", \"1\"), (\"p\", \"2\"), (\"p\", \"3\"), (\"p\", \"4\") and 2 more");
  CHECK((MissingEntities::from_text(missing.to_text()).groups() == missing.groups()));
  for (const char* text : {"", "[1]", "{\"A\":1}", "{\"A\":{\"entities\":1,\"keys\":[[1]]}}"})
    CHECK(MissingEntities::from_text(text).empty());
}

TEST_CASE("A template uses the default value of a missing property, in the form of its placeholder") {
  const MissingRule rule{OnMissing::Default, {{"Name", std::string("None")}, {"N", std::int32_t{7}}}};
  const auto key = KeyTemplate::parse("{Name:lower}_{N:pad3}_{RowKey}");
  CHECK(key.apply({{"p", "r"}, {}, {}}, rule) == "none_007_r");
  CHECK(key.apply({{"p", "r"}, {}, {{"Name", std::string("X")}, {"N", std::int32_t{8}}}}, rule) == "x_008_r");
  CHECK_THROWS_AS(key.apply({{"p", "r"}, {}, {{"N", std::int32_t{8}}}}), MissingProperty);
  CHECK_THROWS_AS(key.apply({{"p", "r"}, {}, {{"Name", std::string("X")}}}, {OnMissing::Skip, rule.defaults}),
                  MissingProperty);
  CHECK_THROWS_WITH_AS(key.check_default({"N", std::int32_t{1000}}), "the property N has more than 3 digits",
                       KeyTemplateError);
  CHECK_THROWS_AS(key.check_default({"Name", std::string("a?b")}), KeyTemplateError);
  CHECK_NOTHROW(key.check_default({"Name", std::string("a")}));
  CHECK(key.uses("RowKey"));
  CHECK_FALSE(key.uses("Other"));
}

TEST_CASE("A change of a property names what is missing, until it is applied") {
  const PropertyChange rename = RenameProperty{"A", "B", {}};
  const PropertyChange with_default = RenameProperty{"A", "B", {OnMissing::Default, {{"A", true}}}};
  const PropertyChange retype = RetypeProperty{"A", EdmType::Int32, {}};
  Properties none, old_name{{"A", true}}, new_name{{"B", true}};
  const auto missing = [](const PropertyChange& change, const Properties& properties) {
    const auto* name = missing_in(change, properties);
    return name == nullptr ? std::string() : *name;
  };
  CHECK(missing(rename, none) == "A");
  CHECK(missing(rename, old_name).empty());
  CHECK(missing(rename, new_name).empty());  // an earlier attempt has renamed it
  CHECK(missing(with_default, none).empty());
  CHECK(missing(retype, new_name) == "A");
  CHECK(missing(RemoveProperty{"A"}, none).empty());
  CHECK_FALSE(apply(rename, none));
  CHECK(apply(with_default, none));
  const bool is_renamed = none == new_name;
  CHECK(is_renamed);
  CHECK_FALSE(apply(with_default, none));
}

}  // namespace
}  // namespace rocktable::migration::TEST_FILE
