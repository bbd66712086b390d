// The StorageServiceProperties document: reading over what was there, limits, writing.
#include "server/handlers/service_properties.h"

#include <doctest/doctest.h>

#include <string>

#include "server/request/xml.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr std::string_view kDeclaration = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";
constexpr auto kDocument = ErrorCode::InvalidXmlDocument;
constexpr auto kNodeValue = ErrorCode::InvalidXmlNodeValue;

std::string document(std::string_view inside) {
  return "<StorageServiceProperties>" + std::string(inside) + "</StorageServiceProperties>";
}

// A list of `count` different entries, each starting with this.
std::string entries(std::string_view start, int count, std::string_view end = "") {
  std::string out;
  for (int i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    out += start;
    out += std::to_string(i);
    out += end;
  }
  return out;
}

// A rule whose parts a test can replace.
struct Rule {
  std::string methods = "GET,PUT";
  std::string origins = "www.ab.com,www.bc.com";
  std::string allowed = "x-ms-meta-xyz";
  std::string exposed = "x-ms-meta-abc";
  std::string age = "500";
};

std::string to_xml(const Rule& rule) {
  return "<CorsRule><AllowedOrigins>" + rule.origins + "</AllowedOrigins><AllowedMethods>" + rule.methods +
         "</AllowedMethods><MaxAgeInSeconds>" + rule.age + "</MaxAgeInSeconds><ExposedHeaders>" + rule.exposed +
         "</ExposedHeaders><AllowedHeaders>" + rule.allowed + "</AllowedHeaders></CorsRule>";
}

std::string cors(const Rule& rule) { return document("<Cors>" + to_xml(rule) + "</Cors>"); }

ServiceProperties parsed(std::string_view xml, const ServiceProperties& previous = {}) {
  CAPTURE(xml);
  auto properties = parse_service_properties(xml, previous);
  REQUIRE(properties.has_value());
  return *std::move(properties);
}

void check_refused(std::string_view xml, ErrorCode code) {
  CAPTURE(xml);
  const auto properties = parse_service_properties(xml, {});
  REQUIRE(properties.has_error());
  CHECK(to_string(properties.error().code) == to_string(code));
}

// Recorded from the service.
TEST_CASE("A new account's properties") {
  CHECK(render_service_properties({}) ==
        std::string(kDeclaration) +
            "<StorageServiceProperties><Logging><Version>1.0</Version><Read>false</Read><Write>false</Write>"
            "<Delete>false</Delete><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging>"
            "<HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>"
            "<RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></HourMetrics>"
            "<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</"
            "Enabled>"
            "</RetentionPolicy></MinuteMetrics><Cors /></StorageServiceProperties>");
}

// Recorded from the service: literal names before prefixes, whatever their order was.
TEST_CASE("A rule is written with its methods first, and literal names before prefixes") {
  Rule rule;
  rule.allowed = "x-ms-meta-data*,x-ms-meta-xyz,x-ms-meta-target*,x-ms-meta-foo";
  rule.exposed = "x-ms-meta-data*,x-ms-meta-abc";
  const std::string text = render_service_properties(parsed(cors(rule)));
  CHECK(text.find("<Cors><CorsRule><AllowedMethods>GET,PUT</AllowedMethods><AllowedOrigins>www.ab.com,www.bc.com"
                  "</AllowedOrigins><AllowedHeaders>x-ms-meta-xyz,x-ms-meta-foo,x-ms-meta-data*,x-ms-meta-target*"
                  "</AllowedHeaders><ExposedHeaders>x-ms-meta-abc,x-ms-meta-data*</ExposedHeaders>"
                  "<MaxAgeInSeconds>500</MaxAgeInSeconds></CorsRule></Cors>") != text.npos);
  rule.allowed = rule.exposed = "";
  CHECK(render_service_properties(parsed(cors(rule))).find("<AllowedHeaders /><ExposedHeaders />") != text.npos);
}

TEST_CASE("A section that is missing keeps its values") {
  const ServiceProperties previous{
      {true, false, true, {3}}, {false, false, {}}, {true, true, {9}}, {{{"GET"}, {"*"}, {}, {}, 5}}};
  const std::string logging =
      "<Logging><RetentionPolicy><Days>365</Days><Enabled>true</Enabled></RetentionPolicy><Write>true</Write>"
      "<Delete>false</Delete><Read>false</Read><Version>1.0</Version></Logging>";
  ServiceProperties expected = previous;
  expected.logging = {false, true, false, {365}};
  CHECK(parsed(document(logging), previous) == expected);
  expected = previous;
  expected.cors.clear();
  CHECK(parsed(document("<Cors />"), previous) == expected);
  expected = previous;
  expected.hour_metrics = {true, false, {}};
  CHECK(parsed(document("<HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>false</IncludeAPIs>"
                        "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics>"),
               previous) == expected);
  expected = previous;
  expected.minute_metrics = {false, false, {1}};
  CHECK(parsed(document("<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled>"
                        "<RetentionPolicy><Enabled>true</Enabled><Days>1</Days></RetentionPolicy></MinuteMetrics>"),
               previous) == expected);
}

// Recorded from the service, in 2025.
TEST_CASE("A document without any section is refused") {
  for (const std::string_view xml :
       {"<StorageServiceProperties/>", "<StorageServiceProperties></StorageServiceProperties>",
        "<StorageServiceProperties> \n <!-- none --> </StorageServiceProperties>"})
    check_refused(xml, ErrorCode::InvalidXmlDocument);
}

TEST_CASE("Booleans are read in any case, and written in lower case") {
  const auto logging = [](const std::string& yes, const std::string& no) {
    return document("<Logging><Version>1.0</Version><Read>" + yes + "</Read><Write>" + no + "</Write><Delete>" + yes +
                    "</Delete><RetentionPolicy><Enabled>" + no + "</Enabled></RetentionPolicy></Logging>");
  };
  const ServiceProperties expected = parsed(logging("true", "false"));
  CHECK(expected.logging == Logging{true, false, true, {}});
  for (const auto& [yes, no] : {std::pair{"True", "False"}, std::pair{"TRUE", "FALSE"}, std::pair{"tRuE", "fAlSe"}}) {
    CHECK(parsed(logging(yes, no)) == expected);
    CHECK(render_service_properties(parsed(logging(yes, no))) == render_service_properties(expected));
  }
}

TEST_CASE("What is written is read again as it was") {
  Rule rule;
  for (const std::string& xml :
       {document("<Cors />"), cors(rule), cors({"OPTIONS,MERGE,PATCH", "https://*.contoso.com,*", "*", "*", "0"}),
        cors({"GET", "a&amp;b, c &lt;d", "x&#9;y", "", "2147483647"}),
        cors({" GET ,\n PUT ", " a ,\r\n b ", "x,", "\n", " 1 "})}) {
    const ServiceProperties properties = parsed(xml);
    CHECK(parsed(render_service_properties(properties)) == properties);
    CHECK(parsed(render_service_properties(properties), {{true, true, true, {5}}, {}, {}, {}}) == properties);
  }
}

// Accepted and then not readable again, they would lock the account out of its own properties.
TEST_CASE("An entry of nothing but white space is no entry") {
  for (const std::string origin : {"&#10;", "&#13;", "&#9;", "&#32;", "\n", ""}) {
    Rule rule;
    rule.origins = origin;
    check_refused(cors(rule), kNodeValue);
    rule.origins = "a,," + origin;
    check_refused(cors(rule), kNodeValue);
  }
}

TEST_CASE("Retention is 1 to 365 days, or none") {
  const auto with = [](const std::string& policy) {
    return document("<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled>" + policy + "</MinuteMetrics>");
  };
  const auto days = [&](const std::string& text) {
    return with("<RetentionPolicy><Enabled>true</Enabled><Days>" + text + "</Days></RetentionPolicy>");
  };
  CHECK(parsed(days("1")).minute_metrics.retention.days == 1);
  CHECK(parsed(days("365")).minute_metrics.retention.days == 365);
  for (const std::string text : {"0", "-1", "366", "", "x", "1.5", "99999999999"}) check_refused(days(text), kDocument);
  check_refused(with("<RetentionPolicy><Enabled>true</Enabled></RetentionPolicy>"), kDocument);
  check_refused(with("<RetentionPolicy><Days>1</Days></RetentionPolicy>"), kDocument);
  check_refused(with(""), kDocument);
  CHECK_FALSE(parsed(with("<RetentionPolicy><Enabled>false</Enabled><Days>0</Days></RetentionPolicy>"))
                  .minute_metrics.retention.days.has_value());
}

TEST_CASE("Sections are complete, of version 1.0, and hold nothing else") {
  const std::string retention = "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>";
  const std::string flags = "<Read>true</Read><Write>true</Write><Delete>true</Delete>";
  const std::string version = "<Version>1.0</Version>";
  CHECK(parsed(document("<Logging>" + version + flags + retention + "</Logging>")).logging.read);
  for (const std::string& inside :
       {flags + retention, version + retention, version + flags, "<Version>2.0</Version>" + flags + retention,
        "<Version />" + flags + retention, version + flags + retention + "<Other />",
        version + flags + retention + "<Read>true</Read>",
        version + "<Read>yes</Read><Write>true</Write><Delete>true</Delete>" + retention,
        version + "<Read>t</Read><Write>true</Write><Delete>true</Delete>" + retention,
        version + "<Read>1</Read><Write>true</Write><Delete>true</Delete>" + retention,
        version + "<Read><x/></Read><Write>true</Write><Delete>true</Delete>" + retention})
    check_refused(document("<Logging>" + inside + "</Logging>"), kDocument);
  const auto metrics = [&](const std::string& inside) {
    return document("<HourMetrics>" + version + inside + retention + "</HourMetrics>");
  };
  check_refused(metrics("<Enabled>true</Enabled>"), kDocument);  // without IncludeAPIs
  check_refused(metrics("<Enabled>false</Enabled><IncludeAPIs>maybe</IncludeAPIs>"), kDocument);
  check_refused(metrics("<IncludeAPIs>true</IncludeAPIs>"), kDocument);
  CHECK(parsed(metrics("<Enabled>false</Enabled><IncludeAPIs>true</IncludeAPIs>")).hour_metrics ==
        Metrics{false, false, {}});
}

TEST_CASE("What is no such document is refused") {
  for (const std::string_view xml : {"", " ", "x", "<StorageServiceProperties>", "<Other />", "{}",
                                     "<StorageServiceProperties /><StorageServiceProperties />"})
    check_refused(xml, kDocument);
  check_refused(document("<DefaultServiceVersion>2013-08-15</DefaultServiceVersion>"), kDocument);
  check_refused(document("<Cors /><Cors />"), kDocument);
  check_refused(document("<cors />"), kDocument);
  check_refused(document("text<Cors />"), kDocument);
  check_refused(document("<Cors>text</Cors>"), kDocument);
  check_refused(document("<Cors><Other /></Cors>"), kDocument);
  std::string deep;
  for (int i = 0; i < 8'000; ++i) deep += "<a>";
  check_refused(document(deep), kDocument);
  check_refused(document(std::string(kMaxXmlBytes, ' ')), ErrorCode::RequestBodyTooLarge);
}

TEST_CASE("Five rules are the most") {
  std::string rules;
  for (int i = 0; i < 5; ++i) rules += to_xml({});
  CHECK(parsed(document("<Cors>" + rules + "</Cors>")).cors.size() == 5);
  check_refused(document("<Cors>" + rules + to_xml({}) + "</Cors>"), kDocument);
}

TEST_CASE("A rule has all its elements, once each") {
  const std::string rule = to_xml({});
  for (const std::string element :
       {"AllowedOrigins", "AllowedMethods", "MaxAgeInSeconds", "ExposedHeaders", "AllowedHeaders"}) {
    CAPTURE(element);
    const auto begin = rule.find("<" + element + ">");
    const auto end = rule.find("</" + element + ">") + element.size() + 3;
    std::string without = rule;
    without.erase(begin, end - begin);
    check_refused(document("<Cors>" + without + "</Cors>"), kDocument);
    std::string twice = rule;
    twice.insert(begin, rule.substr(begin, end - begin));
    check_refused(document("<Cors>" + twice + "</Cors>"), kDocument);
  }
}

TEST_CASE("The values of a rule keep the service's limits") {
  const auto with = [](std::string Rule::* part, std::string value) {
    Rule rule;
    rule.*part = std::move(value);
    return cors(rule);
  };
  const auto check_accepted = [&](std::string Rule::* part, const std::string& value) {
    CHECK(parsed(with(part, value)).cors.size() == 1);
  };
  const auto check_bad = [&](std::string Rule::* part, const std::string& value) {
    check_refused(with(part, value), kNodeValue);
  };
  check_accepted(&Rule::methods, "DELETE,GET,HEAD,MERGE,POST,OPTIONS,PUT,PATCH,TRACE,CONNECT");
  for (const char* methods : {"", "get", "BREW", "GET,,PUT", "GET PUT", "*"}) check_bad(&Rule::methods, methods);

  check_accepted(&Rule::origins, entries("o", 64));
  check_bad(&Rule::origins, entries("o", 65));
  check_accepted(&Rule::origins, std::string(256, 'o'));
  check_bad(&Rule::origins, std::string(257, 'o'));

  for (const auto part : {&Rule::allowed, &Rule::exposed}) {
    check_accepted(part, "");
    check_accepted(part, entries("h", 64) + "," + entries("p", 2, "*"));
    check_bad(part, entries("h", 65));
    check_bad(part, entries("p", 3, "*"));
    check_accepted(part, std::string(256, 'h'));
    check_bad(part, std::string(257, 'h'));
    check_bad(part, "a,,b");
  }

  check_accepted(&Rule::age, "0");
  check_accepted(&Rule::age, "2147483647");
  for (const char* age : {"-1", "", "x", "1.5", "2147483648"}) check_bad(&Rule::age, age);
}

// --- Stats
// ---------------------------------------------------------------------------------------------------

TEST_CASE("Stats are those of the secondary location") {
  RequestContext context;
  context.received = parse_date_time("2022-02-15T21:43:21.5Z").value();
  CHECK_THROWS_AS(get_service_stats(context), ServiceException);
  context.target.secondary = true;
  const Response response = get_service_stats(context);
  CHECK(response.status == 200);
  CHECK(response.framing == Response::Framing::Chunked);
  CHECK(response.body == "\xEF\xBB\xBF" + std::string(kDeclaration) +
                             "<StorageServiceStats><GeoReplication><Status>live</Status><LastSyncTime>Tue, 15 Feb "
                             "2022 21:43:21 GMT</LastSyncTime></GeoReplication></StorageServiceStats>");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
