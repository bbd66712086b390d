// Keys computed from templates, and invalid templates.
#include "client/migration/key_template.h"

#include <doctest/doctest.h>

namespace rocktable::migration::TEST_FILE {
namespace {

const Entity kEntity{{"p", "r"},
                     *parse_date_time("2020-01-02T03:04:05Z"),
                     {{"Name", std::string("Müller, Äb")},
                      {"Number", std::int32_t{42}},
                      {"Long", std::int64_t{1234567890123}},
                      {"Negative", std::int32_t{-1}},
                      {"Real", 2.5},
                      {"Yes", true},
                      {"When", *parse_date_time("2026-11-21T08:30:00.5Z")},
                      {"Last", kMaxDateTime},
                      {"Slash", std::string("a/b")},
                      {"Long text", std::string(513, 'x')},
                      {"Many", std::string(513, 'x')},
                      {"Id", *parse_guid("6f9619ff-8b86-d011-b42d-00c04fc964ff")}}};

std::string key_of(std::string_view text) {
  try {
    return KeyTemplate::parse(text).apply(kEntity);
  } catch (const KeyTemplateError& error) {
    return std::string("error: ") + error.what();
  }
}

TEST_CASE("A template inserts properties into its text, in the given form") {
  struct {
    std::string_view text, key;
  } cases[] = {
      {"", ""},
      {"fixed", "fixed"},
      {"{PartitionKey}_{RowKey}", "p_r"},
      {"{Timestamp}", "2020-01-02T03:04:05Z"},
      {"{Timestamp:date}x", "2020-01-02x"},
      {"lastname_{Name:lower}", "lastname_müller, Äb"},
      {"{Name:upper}", "MüLLER, ÄB"},
      {"{Number}", "42"},
      {"{Number:pad5}", "00042"},
      {"{Number:pad2}", "42"},
      {"{Long:pad19}", "0000001234567890123"},
      {"{Real}{Yes}", "2.5true"},
      {"{When}", "2026-11-21T08:30:00.5Z"},
      {"{When:ticks}", "0639308466005000000"},
      {"{When:invertedTicks}", "2516070509994999999"},
      {"{Last:invertedTicks}", "0000000000000000000"},
      {"{Id}", "6f9619ff-8b86-d011-b42d-00c04fc964ff"},
      {"{{{Number}}}", "{42}"},
      {"}}{{", "}{"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(key_of(c.text) == c.key);
  }
}

TEST_CASE("Inverted ticks sort the latest time first") {
  const auto at = [](const char* time) {
    Entity entity;
    entity.properties = {{"When", *parse_date_time(time)}};
    return KeyTemplate::parse("{When:invertedTicks}").apply(entity);
  };
  CHECK(at("2026-11-21T08:30:01Z") < at("2026-11-21T08:30:00Z"));
  CHECK(at("9999-12-31T00:00:00Z") < at("1601-01-01T00:00:00Z"));
}

TEST_CASE("Invalid templates and invalid keys are errors") {
  struct {
    std::string_view text, part;
  } cases[] = {
      {"{", "is unmatched"},
      {"}", "is unmatched"},
      {"a{Number", "is unmatched"},
      {"{}", "has no property name"},
      {"{:lower}", "has no property name"},
      {"{a b}", "is not a property name"},
      {"{Name:", "is unmatched"},
      {"{Name:}", "is not a form"},
      {"{Name:shout}", "is not a form"},
      {"{Number:pad}", "is not a form"},
      {"{Number:pad0}", "is not a form"},
      {"{Number:pad20}", "is not a form"},
      {"{Number:pad-1}", "is not a form"},
      {"{Missing}", "the entity has no property Missing"},
      {"{name}", "the entity has no property name"},
      {"{Number:lower}", "Number is Edm.Int32, and must be text"},
      {"{Name:ticks}", "Name is Edm.String, and must be a time"},
      {"{Name:pad3}", "Name is Edm.String, and must be an integer"},
      {"{Negative:pad3}", "is negative"},
      {"{Number:pad1}", "more than 1 digits"},
      {"{Slash}", "is not a valid key"},
      {"{Many}", "more than 512 characters"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const std::string error = key_of(c.text);
    CAPTURE(error);
    CHECK(error.starts_with("error: "));
    CHECK(error.find(c.part) != std::string::npos);
  }
}

}  // namespace
}  // namespace rocktable::migration::TEST_FILE
