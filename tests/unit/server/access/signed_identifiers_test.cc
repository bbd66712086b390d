// The SignedIdentifiers document: reading, writing, refusals.
#include "server/access/signed_identifiers.h"

#include <doctest/doctest.h>

#include <string>

#include "server/request/xml.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr std::string_view kDeclaration = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";

std::string document(std::string_view inside) {
  return "<SignedIdentifiers>" + std::string(inside) + "</SignedIdentifiers>";
}

std::string identifier(std::string_view inside) {
  return document("<SignedIdentifier>" + std::string(inside) + "</SignedIdentifier>");
}

std::string policy(std::string_view inside) {
  return identifier("<Id>a</Id><AccessPolicy>" + std::string(inside) + "</AccessPolicy>");
}

void check_refused(std::string_view xml) {
  CAPTURE(xml);
  const auto identifiers = parse_signed_identifiers(xml);
  REQUIRE(identifiers.has_error());
  CHECK(identifiers.error() == Error(ErrorCode::InvalidXmlDocument));
}

std::vector<SignedIdentifier> parsed(std::string_view xml) {
  CAPTURE(xml);
  auto identifiers = parse_signed_identifiers(xml);
  REQUIRE(identifiers.has_value());
  return *std::move(identifiers);
}

DateTime time(std::string_view text) { return parse_date_time(text).value(); }

TEST_CASE("Identifiers are read in their order, children in any order, with declaration and without") {
  const std::vector<SignedIdentifier> expected = {
      {"null", {}, {}, ""},
      {"full", time("2021-06-08T02:10:09Z"), time("2022-06-08T02:10:09.5000000Z"), "ra"},
  };
  const std::string text = document(
      "<SignedIdentifier><Id>null</Id></SignedIdentifier>"
      "<SignedIdentifier><AccessPolicy><Permission>ra</Permission><Expiry>2022-06-08T02:10:09.5000000Z</"
      "Expiry>"
      "<Start>2021-06-08T02:10:09Z</Start></AccessPolicy><Id>full</Id></SignedIdentifier>");
  CHECK(parsed(text) == expected);
  CHECK(parsed(std::string(kDeclaration) + text) == expected);
  CHECK(parsed("\xEF\xBB\xBF" + std::string(kDeclaration) + "\r\n  " + text + "\n") == expected);
}

TEST_CASE("An empty body and an empty list clear") {
  for (const std::string_view text : {"", " \t", "<SignedIdentifiers />", "<SignedIdentifiers></SignedIdentifiers>",
                                      "<SignedIdentifiers>\n  <!-- none -->\n</SignedIdentifiers>"})
    CHECK(parsed(text).empty());
}

TEST_CASE("A policy may be empty, and so may each of its parts") {
  const std::vector<SignedIdentifier> expected = {{"a", {}, {}, ""}};
  CHECK(parsed(policy("")) == expected);
  CHECK(parsed(identifier("<Id>a</Id><AccessPolicy />")) == expected);
  CHECK(parsed(policy("<Start /><Expiry></Expiry><Permission/>")) == expected);
}

// Recorded from the service: three and nine decimals are refused.
TEST_CASE("Times are dates or date-times, read as UTC, without decimals or with seven") {
  const struct {
    std::string_view text, time;
  } cases[] = {
      {"2011-10-11", "2011-10-11T00:00:00Z"},
      {"2021-06-08T02:10Z", "2021-06-08T02:10:00Z"},
      {"2021-06-08T02:10:09Z", "2021-06-08T02:10:09Z"},
      {"2021-06-08T02:10:09", "2021-06-08T02:10:09Z"},
      {"2021-06-08T02:10:09.1234567Z", "2021-06-08T02:10:09.1234567Z"},
      {"2021-06-08T04:10:09+02:00", "2021-06-08T02:10:09Z"},
      {" 2011-10-11\n", "2011-10-11T00:00:00Z"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(parsed(policy("<Start>" + std::string(c.text) + "</Start>")).front().start == time(c.time));
    CHECK(parsed(policy("<Expiry>" + std::string(c.text) + "</Expiry>")).front().expiry == time(c.time));
  }
  for (const std::string text : {"tomorrow", "2021-02-30", "2021-06-08T02:10:09.12345678Z",
                                 "2021-06-08T02:10:09.000000000Z", "2021-06-08T02:10:09.000Z",
                                 "2021-06-08T02:10:09.123456Z", "2021-06-08T02:10:09.Z", "0", "2021-06-08T25:00:00Z"}) {
    check_refused(policy("<Start>" + text + "</Start>"));
    check_refused(policy("<Expiry>" + text + "</Expiry>"));
  }
}

TEST_CASE("Permissions are letters of raud, each once, kept in this order") {
  const struct {
    std::string_view text, letters;
  } cases[] = {{"r", "r"}, {"raud", "raud"}, {"duar", "raud"}, {"da", "ad"}, {"", ""}};
  for (const auto& c : cases)
    CHECK(parsed(policy("<Permission>" + std::string(c.text) + "</Permission>")).front().permissions == c.letters);
  for (const std::string text : {"rr", "R", "x", "r a", "raudl", "r,a"})
    check_refused(policy("<Permission>" + text + "</Permission>"));
}

TEST_CASE("At most five identifiers are accepted") {
  std::string five;
  for (const char id : {'a', 'b', 'c', 'd', 'e'})
    five += "<SignedIdentifier><Id>" + std::string(1, id) + "</Id></SignedIdentifier>";
  CHECK(parsed(document(five)).size() == 5);
  check_refused(document(five + "<SignedIdentifier><Id>f</Id></SignedIdentifier>"));
}

TEST_CASE("An Id has 1 to 64 characters and comes once") {
  CHECK(parsed(identifier("<Id>" + std::string(64, 'x') + "</Id>")).front().id.size() == 64);
  check_refused(identifier("<Id>" + std::string(65, 'x') + "</Id>"));
  std::string wide;  // two UTF-16 code units each
  for (int i = 0; i < 32; ++i) wide += "\xF0\x9F\x98\x80";
  CHECK(parsed(identifier("<Id>" + wide + "</Id>")).front().id == wide);
  check_refused(identifier("<Id>" + wide + "x</Id>"));
  check_refused(identifier(""));
  check_refused(identifier("<Id />"));
  check_refused(identifier("<Id> </Id>"));
  check_refused(identifier("<AccessPolicy><Permission>r</Permission></AccessPolicy>"));
  check_refused(
      document("<SignedIdentifier><Id>a</Id></SignedIdentifier><SignedIdentifier><Id>a</Id></SignedIdentifier>"));
  CHECK(parsed(document("<SignedIdentifier><Id>a</Id></SignedIdentifier><SignedIdentifier><Id>A</Id></"
                        "SignedIdentifier>"))
            .size() == 2);
}

TEST_CASE("Text is read in every XML notation") {
  CHECK(parsed(identifier("<Id>a&amp;b&#x41;</Id>")).front().id == "a&bA");
  CHECK(parsed(identifier("<Id><![CDATA[a<b]]></Id>")).front().id == "a<b");
  CHECK(parsed(identifier("<Id>a<!-- not this -->b<![CDATA[c]]></Id>")).front().id == "abc");
  CHECK(parsed(identifier("<Id>\n  a\tb\n</Id>")).front().id == "a b");
}

TEST_CASE("Other documents are refused") {
  for (const std::string_view xml : {"x", "<", "<SignedIdentifiers>", "<SignedIdentifiers></signedIdentifiers>",
                                     "<Other />", "<signedidentifiers />", "<SignedIdentifiers /><SignedIdentifiers />",
                                     "{}", "\xFF\xFE", "<SignedIdentifiers/>trailing<x/>"})
    check_refused(xml);
  check_refused(document("<Other />"));
  check_refused(document("text"));
  check_refused(identifier("<Id>a</Id>text"));
  check_refused(policy("text<Permission>r</Permission>"));
  check_refused(document("<SignedIdentifier><Id>a</Id><Id>b</Id></SignedIdentifier>"));
  check_refused(identifier("<Id>a</Id><Other />"));
  check_refused(identifier("<Id><b>a</b></Id>"));
  check_refused(identifier("<Id>a</Id><AccessPolicy /><AccessPolicy />"));
  check_refused(policy("<Other>1</Other>"));
  check_refused(policy("<Start>2011-10-11</Start><Start>2011-10-11</Start>"));
  check_refused(policy("<Start><x/></Start>"));
}

TEST_CASE("Hostile documents are refused: control characters, broken UTF-8, depth") {
  check_refused(identifier("<Id>&#1;</Id>"));
  check_refused(identifier("<Id>a\x02</Id>"));
  check_refused(identifier("<Id>\xC3</Id>"));
  check_refused(identifier("<Id>\xED\xA0\x80</Id>"));
  std::string deep;
  for (int i = 0; i < 8'000; ++i) deep += "<a>";
  check_refused(document(deep));
  for (int i = 0; i < 8'000; ++i) deep += "</a>";
  check_refused(document(deep));
  check_refused(policy("<Start>" + deep + "</Start>"));
}

// Attacks: billion laughs; an external entity that names a file of the server.
TEST_CASE("No XML entity is expanded, internal or external") {
  for (const std::string_view definition :
       {R"(<!ENTITY a "bbbbbbbb">)", R"(<!ENTITY b "bb"><!ENTITY a "&b;&b;&b;&b;">)",
        R"(<!ENTITY a SYSTEM "file:///etc/passwd">)", R"(<!ENTITY % c SYSTEM "http://127.0.0.1/"> %c;)"}) {
    CAPTURE(definition);
    const std::string type = "<!DOCTYPE x [" + std::string(definition) + "]>";
    CHECK(parsed(type + identifier("<Id>&a;</Id>")).front().id == "&a;");
  }
}

TEST_CASE("A document of more than 64 KiB is refused unread") {
  const std::string whole = identifier("<Id>a</Id>");
  const auto padded = [&](std::size_t bytes) { return whole + std::string(bytes - whole.size(), '\n'); };
  CHECK(parsed(padded(kMaxXmlBytes)).size() == 1);
  CHECK(parse_signed_identifiers(padded(kMaxXmlBytes + 1)).error().code == ErrorCode::RequestBodyTooLarge);
  const std::string rubbish(4 << 20, '<');
  CHECK(parse_signed_identifiers(rubbish).error().code == ErrorCode::RequestBodyTooLarge);
}

// Recorded from the service.
TEST_CASE("The document is written in the service's order, times with seven decimals, without what is empty") {
  CHECK(render_signed_identifiers({}) == std::string(kDeclaration) + "<SignedIdentifiers />");
  CHECK(render_signed_identifiers({{"null", {}, {}, ""},
                                   {"partial", {}, {}, "r"},
                                   {"full", time("2021-06-08T02:10:09Z"), time("2021-06-08T02:10:09Z"), "r"}}) ==
        std::string(kDeclaration) +
            "<SignedIdentifiers><SignedIdentifier><Id>null</Id></"
            "SignedIdentifier><SignedIdentifier><Id>partial</Id>"
            "<AccessPolicy><Permission>r</Permission></AccessPolicy></"
            "SignedIdentifier><SignedIdentifier><Id>full</Id>"
            "<AccessPolicy><Start>2021-06-08T02:10:09.0000000Z</Start><Expiry>2021-06-08T02:10:09.0000000Z</"
            "Expiry>"
            "<Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>");
}

TEST_CASE("A written document reads back the same") {
  for (const std::string& xml : {document(""), identifier("<Id>&lt;a&gt; &quot;b&quot; 'c' &amp;amp;</Id>"),
                                 identifier("<Id>a&#10;b&#13;c</Id>"), identifier("<Id>\xF0\x9F\x98\x80</Id>"),
                                 policy("<Permission>du</Permission>"),
                                 policy("<Start>0001-01-01</Start><Expiry>9999-12-31T23:59:59.9999999Z</Expiry>")}) {
    const auto identifiers = parsed(xml);
    CHECK(parsed(render_signed_identifiers(identifiers)) == identifiers);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
