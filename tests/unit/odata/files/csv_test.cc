// CSV files in the format of Storage Explorer: reading, writing, and the positions of errors.
#include <doctest/doctest.h>

#include "odata/files/entity_format.h"
#include "tests/unit/odata/files/entity_files.h"

namespace rocktable::TEST_FILE {
namespace {

std::vector<Entity> read(const std::string& text) { return entities_in(EntityFormat::Csv, text); }
std::string fault(const std::string& text) { return fault_in(EntityFormat::Csv, text); }

}  // namespace

TEST_CASE("a file of Storage Explorer is read, with types with or without Edm") {
  const auto entities = read(
      "\xEF\xBB\xBFPartitionKey,RowKey,Timestamp,Name,Name@type,Age,Age@type,Born,Born@type\r\n"
      "p,1,2020-01-01T00:00:00Z,\"Smith, "
      "\"\"Jo\"\"\",String,39,Edm.Int32,1981-02-03T00:00:00.0000001Z,DateTime\r\n"
      "\r\n"
      "p,2,whatever,,String,12,Int64,,\r\n");
  REQUIRE(entities.size() == 2);
  CHECK(entities[0] == Entity{{"p", "1"},
                              {},
                              {{"Name", std::string("Smith, \"Jo\"")},
                               {"Age", std::int32_t{39}},
                               {"Born", *parse_date_time("1981-02-03T00:00:00.0000001Z")}}});
  CHECK(entities[1] == Entity{{"p", "2"}, {}, {{"Name", std::string()}, {"Age", std::int64_t{12}}}});
}

TEST_CASE("without types all values are text, and an empty value is no property") {
  const auto entities = read("RowKey,PartitionKey,a,b\n1,p,x,\n2,p,,\"\"\n3,p,,");
  REQUIRE(entities.size() == 3);
  CHECK(entities[0] == Entity{{"p", "1"}, {}, {{"a", std::string("x")}}});
  CHECK(entities[1] == Entity{{"p", "2"}, {}, {}});
  CHECK(entities[2] == Entity{{"p", "3"}, {}, {}});
  CHECK(read("PartitionKey,RowKey\n").empty());
}

TEST_CASE("types of keys and odata columns are ignored") {
  CHECK(read("PartitionKey,PartitionKey@type,RowKey,odata.etag,RowKey@type\np,String,r,\"W/"
             "\"\"x\"\"\",String") == std::vector<Entity>{{{"p", "r"}, {}, {}}});
}

TEST_CASE("a table is written with the given columns, and with quotes if needed") {
  const std::vector<Entity> entities{{{"p", "1"}, {}, {{"n", std::int64_t{5}}, {"t", std::string("a,\"b\"\n")}}},
                                     {{"p", "2"}, {}, {{"t", std::string()}, {"f", true}}}};
  CHECK(text_of(EntityFormat::Csv, entities) ==
        "PartitionKey,RowKey,n,n@type,t,t@type,f,f@type\r\n"
        "p,1,5,Int64,\"a,\"\"b\"\"\n\",String,,\r\n"
        "p,2,,,,String,true,Boolean\r\n");
  EntityWriterOptions rest = options_for(entities);
  rest.header = false;
  CHECK(text_of(EntityFormat::Csv, {entities[1]}, rest) == "p,2,,,,String,true,Boolean\r\n");
  CHECK_THROWS_WITH_AS(text_of(EntityFormat::Csv, entities, {}), "sample: there is no column for the property \"n\"",
                       FileError);
}

TEST_CASE("an error has line, column (in characters) and a sentence") {
  const std::string header = "PartitionKey,RowKey,a,a@type\n";
  const struct {
    std::string text, said;
  } cases[] = {
      {"", "1:1: the file is empty"},
      {"name,age\n", "1:1: the header has no column PartitionKey; it is PartitionKey,RowKey,Timestamp,NAME"},
      {"\n\nPartitionKey,partitionkey\n", "3:1: the header has no column RowKey"},
      {"PartitionKey,RowKey,a,a\n", "1:23: the header has the column \"a\" twice"},
      {"PartitionKey,RowKey,a@type\n", "1:21: the header has the column \"a@type\", but no column \"a\""},
      {"PartitionKey,RowKey,a b\n", "1:21: \"a b\" is not a valid property name"},
      {"PartitionKey,RowKey,\n", "1:21: a property has no name"},
      {header + "p,r,1\n", "2:1: the record has 3 fields, but the header has 4"},
      {header + "p,r,1,Int32,more\n", "2:13: there is no column for this field"},
      {header + "p,r,12x,Int32\n", "2:5: the value of \"a\" is not an Int32"},
      {header + "p,r,,Int32\n", "2:5: the value of \"a\" is not an Int32"},
      {header + "p,r,1,Integer\n", "2:7: \"Integer\" is not a type; the types are String, Boolean"},
      {header + "\"\xC3\xA9\n\xC3\xA9\",r,,\n", "2:1: PartitionKey contains a character that keys may not contain"},
      {header + "\xC3\xA9,\"r\",\"x\ny\",Guid\n", "2:7: the value of \"a\" is not a Guid"},
      {header + "p,r,\"x\ny\",Strong\n", "3:4: \"Strong\" is not a type"},
      {header + "p,r,\"x\" ,String\n", "2:8: a comma must follow the quote that ends a field"},
      {header + "p,r,x\"y\",String\n", "2:6: a quote in a field that does not begin with one"},
      {header + "p,r,x\ry,String\n", "2:6: a carriage return in a field without quotes"},
      {header + "p,r,\"x,String\np,s,,\n", "2:5: this quoted field has no closing quote"},
      {header + "p,r,\xFF,String\n", "2:5: the field is not UTF-8"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const std::string said = fault(c.text);
    CAPTURE(said);
    CHECK(said.starts_with("sample:" + c.said));
  }
}

// owasp.org/www-community/attacks/CSV_Injection
TEST_CASE("formulas are escaped on request, and read back unchanged") {
  const std::vector<Entity> entities{
      {{"=1", "+1"},
       {},
       {{"a", std::string("=cmd|' /C calc'!A0")}, {"b", std::int32_t{-5}}, {"c", Binary{std::string("\xF8\x00", 2)}}}},
      {{"@p", "-r"}, {}, {{"a", std::string("\t=1")}, {"b", -0.5}, {"c", std::string("-")}}},
      {{"p", "'quoted'"}, {}, {{"a", std::string("\r")}, {"b", std::string("\n")}, {"c", std::string("''=")}}},
      {{"p", "r"}, {}, {{"a", std::string()}, {"b", std::string("a=1")}, {"c", std::string(" =1")}}},
  };
  EntityWriterOptions options = options_for(entities);
  options.escape_formulas = true;
  const std::string text = text_of(EntityFormat::Csv, entities, options);
  CHECK(text ==
        "PartitionKey,RowKey,a,a@type,b,b@type,c,c@type,odata.formulas\r\n"
        "'=1,'+1,'=cmd|' /C calc'!A0,String,-5,Int32,'+AA=,Binary,\r\n"
        "'@p,'-r,'\t=1,String,-0.5,Double,'-,String,\r\n"
        "p,''quoted',\"'\r\",String,\"'\n\",String,'''=,String,\r\n"
        "p,r,,String,a=1,String,\" =1\",String,\r\n");
  CHECK(read(text) == entities);
  CHECK(read(text_of(EntityFormat::Csv, entities)) == entities);
  // Without the column, no quote is removed.
  CHECK(read("PartitionKey,RowKey,a\n'=p,'r,'=1\n")[0] == Entity{{"'=p", "'r"}, {}, {{"a", std::string("'=1")}}});
  CHECK(read("PartitionKey,RowKey,a,odata.formulas\n'=p,'r,'=1,\n")[0] ==
        Entity{{"=p", "'r"}, {}, {{"a", std::string("=1")}}});
}

TEST_CASE("a header of commas does not take all memory") {
  CHECK(fault(std::string(1'000'000, ',')) == "sample:1:100001: there is no column for this field");
}

}  // namespace rocktable::TEST_FILE
