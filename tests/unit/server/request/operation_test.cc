// Method, URL and headers to an operation: the table of operations, formats, conditions, options, and every
// refusal.
#include "server/request/operation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/uri.h"
#include "odata/protocol/continuation_token.h"
#include "server/request/operation_table.h"

namespace rocktable::TEST_FILE {
namespace {

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

const Fields kJson = {{"Accept", "application/json;odata=nometadata"}};
const Fields kXml = {{"Accept", "application/xml"}};

constexpr char kEntity[] = "/tab(PartitionKey='p',RowKey='r')";

Headers headers_of(const Fields& fields) {
  Headers headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  return headers;
}

// `visit(request)` with a request for this URL (path behind the account and query).
template <class Visitor>
auto with_request(std::string_view method, std::string_view url, const Fields& fields, Visitor visit) {
  const auto path = url.substr(0, url.find('?'));
  const auto query =
      QueryParameters::parse(path.size() < url.size() ? url.substr(path.size() + 1) : std::string_view()).value();
  const Headers headers = headers_of(fields);
  return visit(OperationRequest{method, path, query, headers});
}

Operation parsed(std::string_view method, std::string_view url, const Fields& fields = kJson) {
  return with_request(method, url, fields, parse_operation);
}

std::string method_of(std::string_view method, const Fields& fields, bool in_batch = false) {
  return with_request(method, "/tab", fields, [in_batch](OperationRequest request) {
    request.in_batch = in_batch;
    return std::string(effective_method(request));
  });
}

Preferences preferences(std::string_view method, std::string_view url, const Fields& fields) {
  return with_request(method, url, fields, parse_preferences);
}

std::optional<Error> refusal(std::string_view method, std::string_view url, const Fields& fields = kJson) {
  try {
    parsed(method, url, fields);
    return std::nullopt;
  } catch (const ServiceException& exception) {
    return exception.error();
  }
}

void check_refused(std::string_view method, std::string_view url, const Fields& fields, const Error& expected) {
  CAPTURE(method);
  CAPTURE(url);
  for (const auto& field : fields) CAPTURE(field.second);
  const auto error = refusal(method, url, fields);
  REQUIRE(error.has_value());
  CHECK(to_string(error->code) == to_string(expected.code));
  CHECK(error->message == expected.message);
}

std::string to_text(const EntityKey& key) { return key.partition_key + "/" + key.row_key; }

std::string to_text(const Condition& condition) {
  if (condition.kind == Condition::Kind::None) return "none";
  return condition.kind == Condition::Kind::Any ? "any" : to_string(condition.etag);
}

// An operation as the tables below write it.
struct Text {
  std::string operator()(const CreateTable&) const { return "create table"; }
  std::string operator()(const QueryTables&) const { return "query tables"; }
  std::string operator()(const GetTable& o) const { return "get table " + o.table; }
  std::string operator()(const DeleteTable& o) const { return "delete table " + o.table; }
  std::string operator()(const InsertEntity& o) const { return "insert " + o.table; }
  std::string operator()(const QueryEntities& o) const { return "query " + o.table; }
  std::string operator()(const GetEntity& o) const { return "get " + o.table + " " + to_text(o.key); }
  std::string operator()(const WriteEntity& o) const {
    const std::string kind = o.kind == WriteKind::Replace  ? "replace"
                             : o.kind == WriteKind::Merge  ? "merge"
                             : o.kind == WriteKind::Delete ? "delete"
                                                           : "insert?";
    return kind + " " + o.table + " " + to_text(o.key) + " " + to_text(o.condition);
  }
  std::string operator()(const Batch& o) const { return "batch " + o.content_type; }
  std::string operator()(const GetServiceProperties&) const { return "get properties"; }
  std::string operator()(const SetServiceProperties&) const { return "set properties"; }
  std::string operator()(const GetServiceStats&) const { return "get stats"; }
  std::string operator()(const GetUserDelegationKey&) const { return "get user delegation key"; }
  std::string operator()(const GetTableAcl& o) const { return "get acl " + o.table; }
  std::string operator()(const SetTableAcl& o) const { return "set acl " + o.table; }
  std::string operator()(const GetTableSubpath& o) const { return "get behind " + o.table; }
  std::string operator()(const WriteTableSubpath& o) const { return "write behind " + o.table; }
};

std::string to_text(const Operation& operation) { return std::visit(Text(), operation); }

const Error kBadSyntax{ErrorCode::InvalidInput, "Bad Request - Error in query syntax."};

// --- Methods and resources -------------------------------------------------------------------------------

TEST_CASE("Method and resource make the operation") {
  const struct {
    std::string_view method, url, operation;
  } cases[] = {
      {"GET", "/Tables", "query tables"},
      {"GET", "/Tables()", "query tables"},
      {"GET", "/tables( )", "query tables"},
      {"POST", "/Tables", "create table"},
      {"POST", "/Tables()", "create table"},
      {"GET", "/Tables('MyTable')", "get table MyTable"},
      {"GET", "/TABLES( 'MyTable' )", "get table MyTable"},
      {"GET", "/Tables%28%27MyTable%27%29", "get table MyTable"},
      {"DELETE", "/Tables(%27MyTable%27)", "delete table MyTable"},
      {"GET", "/mytable", "query mytable"},
      {"GET", "/MyTable()", "query MyTable"},
      {"GET", "/tablesX", "query tablesX"},
      {"POST", "/mytable", "insert mytable"},
      {"POST", "/mytable()", "insert mytable"},
      {"GET", "/tab(PartitionKey='p',RowKey='r')", "get tab p/r"},
      {"GET", "/tab(RowKey='r',PartitionKey='p')", "get tab p/r"},
      {"GET", "/tab( PartitionKey = 'p' , RowKey = 'r' )", "get tab p/r"},
      {"GET", "/tab(PartitionKey='',RowKey='')", "get tab /"},
      {"GET", "/tab(PartitionKey='a%27%27%27%27b',RowKey='c+d%20(e)')", "get tab a''b/c+d (e)"},
      {"GET", "/tab(PartitionKey='%E2%92%88',RowKey='=,')", "get tab \xE2\x92\x88/=,"},
      {"PUT", "/tab(PartitionKey='p',RowKey='r')", "replace tab p/r none"},
      {"MERGE", "/tab(PartitionKey='p',RowKey='r')", "merge tab p/r none"},
      {"PATCH", "/tab(PartitionKey='p',RowKey='r')", "merge tab p/r none"},
      {"POST", "/$batch", "batch "},
      {"POST", "/%24batch", "batch "},
  };
  for (const auto& c : cases) {
    CAPTURE(c.method);
    CAPTURE(c.url);
    CHECK(to_text(parsed(c.method, c.url)) == c.operation);
  }
  CHECK(to_text(parsed("POST", "/$batch", {{"Content-Type", "multipart/mixed; boundary=b"}})) ==
        "batch multipart/mixed; boundary=b");
}

TEST_CASE("comp makes it an operation of the front end, in any order and case") {
  const struct {
    std::string_view method, url, operation;
  } cases[] = {
      {"GET", "/?restype=service&comp=properties", "get properties"},
      {"PUT", "/?comp=properties&restype=service", "set properties"},
      {"GET", "/?RESTYPE=Service&Comp=Properties", "get properties"},
      {"GET", "/?restype=service&comp=stats", "get stats"},
      {"POST", "/?restype=service&comp=userdelegationkey", "get user delegation key"},
      {"GET", "/mytable?comp=acl", "get acl mytable"},
      {"HEAD", "/mytable?comp=acl", "get acl mytable"},
      {"PUT", "/mytable?comp=acl", "set acl mytable"},
      {"PUT", "/mytable()?COMP=ACL", "set acl mytable"},
      {"GET", "/mytable?comp=acl&$orderby=x", "get acl mytable"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.method);
    CAPTURE(c.url);
    CHECK(to_text(parsed(c.method, c.url, kXml)) == c.operation);
  }
}

Error impossible_length() {
  return {ErrorCode::OutOfRangeInput, "The specified resource name length is not within the permissible limits."};
}

Error unterminated_key() {
  return {ErrorCode::InvalidInput,
          "There is an unterminated string literal at position 29 in 'PartitionKey='p',RowKey='a'b''."};
}

// Recorded from the service, which judges the name first.
TEST_CASE("An impossible name of a table in the URL is refused before anything else") {
  const Error characters = ErrorCode::InvalidResourceName;
  const struct {
    std::string name;
    Error error;
  } cases[] = {
      {"1table", characters},
      {"my_table", characters},
      {"my-table", characters},
      {"t%C3%A9t", characters},
      {"a", impossible_length()},
      {"aa", impossible_length()},
      {std::string(64, 'a'), impossible_length()},
      {"a%2F%2F", impossible_length()},
      {"a//", impossible_length()},
      {"a/Tables", impossible_length()},
      {"1", impossible_length()},
  };
  const Fields atom = {{"Accept", "application/atom+xml"}};
  for (const auto& [name, error] : cases) {
    const std::string set = "/" + name, entity = set + "(PartitionKey='p',RowKey='r')";
    for (const std::string_view method : {"GET", "POST", "PUT"}) check_refused(method, set, atom, error);
    for (const std::string_view method : {"GET", "PUT", "PATCH", "MERGE", "DELETE"})
      check_refused(method, entity, atom, error);
    for (const std::string_view method : {"GET", "PUT"}) check_refused(method, set + "?comp=acl", atom, error);
  }
  CHECK(to_text(parsed("GET", "/" + std::string(63, 'a'))) == "query " + std::string(63, 'a'));
}

TEST_CASE("What no operation answers is refused with its code") {
  const struct {
    std::string_view method, url;
    Error error;
  } cases[] = {
      {"GET", "/", ErrorCode::InvalidUri},
      {"GET", "/?restype=service", ErrorCode::MissingRequiredQueryParameter},
      {"GET", "/?comp=properties", ErrorCode::MissingRequiredQueryParameter},
      {"GET", "/?restype=account&comp=properties", ErrorCode::InvalidQueryParameterValue},
      {"GET", "/?restype=service&comp=list", ErrorCode::InvalidQueryParameterValue},
      {"GET", "/?restype=service&comp=", ErrorCode::InvalidQueryParameterValue},
      {"PUT", "/?restype=service&comp=stats", ErrorCode::MethodNotAllowed},
      {"POST", "/?restype=service&comp=properties", ErrorCode::MethodNotAllowed},
      {"GET", "/mytable?comp=properties", ErrorCode::InvalidQueryParameterValue},
      {"GET", "/mytable?comp=", ErrorCode::InvalidQueryParameterValue},
      {"GET", "/Tables?comp=acl", ErrorCode::InvalidQueryParameterValue},
      {"GET", "/Tables('t')?comp=acl", ErrorCode::InvalidQueryParameterValue},
      {"GET", "/tab(PartitionKey='p',RowKey='r')?comp=acl", ErrorCode::InvalidQueryParameterValue},
      {"POST", "/$batch?comp=acl", ErrorCode::InvalidQueryParameterValue},
      {"DELETE", "/mytable?comp=acl", ErrorCode::MethodNotAllowed},
      {"GET", "/$metadata", ErrorCode::NotImplemented},
      {"POST", "/$other", ErrorCode::NotImplemented},
      {"GET", "/my-table", ErrorCode::InvalidResourceName},
      {"GET", "/my%20table()", ErrorCode::InvalidResourceName},
      {"GET", "/()", impossible_length()},
      {"GET", "/tab%C3%A9", ErrorCode::InvalidResourceName},
      {"GET", "/tab%00", ErrorCode::InvalidResourceName},
      {"GET", "//Tables", ErrorCode::InvalidUri},
      {"GET", "//", ErrorCode::InvalidUri},
      {"GET", "/tab//x", ErrorCode::InvalidUri},
      {"GET", "/Tables/t", ErrorCode::InvalidUri},
      {"GET", "/Tables('t')/t", kBadSyntax},
      {"POST", "/tab()/t", kBadSyntax},
      {"POST", "/aaa/b/c", ErrorCode::InvalidUri},
      {"GET", "/tab%", ErrorCode::InvalidUri},
      {"GET", "/tab%zz", ErrorCode::InvalidUri},
      {"GET", "/tab(PartitionKey='%FF',RowKey='')", ErrorCode::InvalidUri},
      {"GET", "/Tables(t)", kBadSyntax},
      {"GET", "/Tables(')", kBadSyntax},
      {"GET", "/Tables('t'", kBadSyntax},
      {"GET", "/Tables('t')x", kBadSyntax},
      {"GET", "/tab(", kBadSyntax},
      {"GET", "/tab)", ErrorCode::InvalidResourceName},
      {"GET", "/tab()()", kBadSyntax},
      {"GET", "/tab('x')", kBadSyntax},
      {"GET", "/tab(PartitionKey='p')", kBadSyntax},
      {"GET", "/tab(PartitionKey='p',PartitionKey='p')", kBadSyntax},
      {"GET", "/tab(PartitionKey='p',RowKey='a'b')", unterminated_key()},
      {"GET", "/tab(PartitionKey='p',RowKey='a%27b')", unterminated_key()},
      {"GET", "/tab(PartitionKey='a%2Fb',RowKey='r')", kBadSyntax},
      {"GET", "/tab(PartitionKey='a%5Cb',RowKey='r')", kBadSyntax},
      {"GET", "/tab(PartitionKey='a%23b',RowKey='r')", ErrorCode::OutOfRangeInput},
      {"GET", "/tab(PartitionKey='p',RowKey='a%3Fb')", ErrorCode::OutOfRangeInput},
      {"PUT", "/tab(PartitionKey='p',RowKey='%00')", ErrorCode::OutOfRangeInput},
      {"GET", "/tab(PartitionKey='p',RowKey='%C2%85')", ErrorCode::OutOfRangeInput},
  };
  for (const auto& c : cases) check_refused(c.method, c.url, kJson, c.error);
}

// Clients that take the URL of a table for that of the service send these.
TEST_CASE("Of two segments the first is the table, and the name of the second does not matter") {
  for (const std::string_view second : {"mytable", "Tables", "tables()", "other", "Tables('mytable')", "$batch"}) {
    CAPTURE(second);
    const std::string url = "/mytable/" + std::string(second);
    CHECK(to_text(parsed("POST", url)) == "insert mytable");
    CHECK(to_text(parsed("GET", url)) == "get behind mytable");
  }
  CHECK(to_text(parsed("GET", "/tab/t(PartitionKey='p',RowKey='r')")) == "get behind tab");
  for (const std::string_view method : {"DELETE", "PUT", "MERGE", "PATCH"}) {
    CHECK(to_text(parsed(method, "/MyTable/Tables('x')")) == "write behind MyTable");
    check_refused(method, "/tab/t(PartitionKey='p',RowKey='r')", kJson, ErrorCode::NotImplemented);
    check_refused(method, "/tab/t", kJson, ErrorCode::NotImplemented);
  }
  check_refused("POST", "/mytable/$batch",
                {{"Accept", "application/json"}, {"Content-Type", "multipart/mixed; boundary=b"}},
                ErrorCode::MediaTypeNotSupported);
  check_refused("POST", "/tab/t", {}, ErrorCode::AtomFormatNotSupported);  // as for the table itself
  check_refused("GET", "/tab/t?$top=x&$skip=1", kJson, ErrorCode::NotImplemented);
  check_refused("GET", "/tab/t(x)", kJson, kBadSyntax);
  check_refused("GET", "/tab/t?comp=acl", kXml, ErrorCode::InvalidQueryParameterValue);
}

TEST_CASE("A slash at the end says nothing, on any resource") {
  const struct {
    std::string_view method, url, operation;
  } cases[] = {
      {"GET", "/Tables/", "query tables"},     {"POST", "/Tables()/", "create table"},
      {"GET", "/Tables('t')/", "get table t"}, {"GET", "/tab/", "query tab"},
      {"POST", "/tab/", "insert tab"},         {"GET", "/tab()/", "query tab"},
      {"GET", "/tab()/?$top=1", "query tab"},  {"GET", "/tab(PartitionKey='p',RowKey='r')/", "get tab p/r"},
      {"POST", "/tab/t/", "insert tab"},       {"POST", "/$batch/", "batch "},
  };
  for (const auto& c : cases) {
    CAPTURE(c.url);
    CHECK(to_text(parsed(c.method, c.url)) == c.operation);
  }
  CHECK(to_text(parsed("GET", "/tab/?comp=acl", kXml)) == "get acl tab");
}

// One table says what is allowed, another what is parsed: they must agree.
TEST_CASE("A verb is refused if and only if Allow does not name it") {
  Fields fields = kJson;
  fields.emplace_back("If-Match", "*");
  for (const std::string_view resource : {"/Tables", "/Tables('t')", "/tab", kEntity, "/$batch"}) {
    const std::string allowed = ", " + std::string(allowed_methods(resource, false)) + ",";
    for (const std::string_view method :
         {"GET", "HEAD", "POST", "PUT", "PATCH", "MERGE", "DELETE", "TRACE", "get", "FOO"}) {
      CAPTURE(resource);
      CAPTURE(method);
      const bool named = allowed.find(", " + std::string(method) + ",") != std::string::npos;
      const auto error = refusal(method, resource, fields);
      CHECK(error.has_value() != named);
      if (error) CHECK(*error == Error(ErrorCode::MethodNotAllowed));
    }
  }
}

TEST_CASE("Writes are those operations that change something") {
  const Fields any = {{"Accept", "application/json"}, {"If-Match", "*"}};
  CHECK(row_of(parsed("POST", "/Tables")).is_write);
  CHECK(row_of(parsed("DELETE", "/Tables('t')")).is_write);
  CHECK(row_of(parsed("POST", "/tab")).is_write);
  CHECK(row_of(parsed("PUT", kEntity, any)).is_write);
  CHECK(row_of(parsed("DELETE", kEntity, any)).is_write);
  CHECK(row_of(parsed("POST", "/$batch")).is_write);
  CHECK(row_of(parsed("PUT", "/?restype=service&comp=properties")).is_write);
  CHECK(row_of(parsed("PUT", "/tab?comp=acl", kXml)).is_write);
  CHECK_FALSE(row_of(parsed("GET", "/Tables")).is_write);
  CHECK_FALSE(row_of(parsed("GET", "/Tables('t')")).is_write);
  CHECK_FALSE(row_of(parsed("GET", "/tab")).is_write);
  CHECK_FALSE(row_of(parsed("GET", kEntity)).is_write);
  CHECK_FALSE(row_of(parsed("GET", "/?restype=service&comp=properties")).is_write);
  CHECK_FALSE(row_of(parsed("GET", "/?restype=service&comp=stats")).is_write);
  CHECK_FALSE(row_of(parsed("GET", "/tab?comp=acl", kXml)).is_write);
}

// --- Tunnelling ------------------------------------------------------------------------------------------

TEST_CASE("X-HTTP-Method tunnels a verb through POST") {
  const struct {
    std::string_view method, operation;
  } cases[] = {
      {"MERGE", "merge tab p/r any"},
      {"PATCH", "merge tab p/r any"},
      {"PUT", "replace tab p/r any"},
      {"DELETE", "delete tab p/r any"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.method);
    CHECK(to_text(parsed("POST", kEntity, {{"X-HTTP-Method", c.method}, {"If-Match", "*"}})) == c.operation);
  }
  CHECK(to_text(parsed("POST", "/Tables('t')", {{"x-http-method", "DELETE"}})) == "delete table t");
  CHECK(method_of("POST", {}) == "POST");
  CHECK(method_of("GET", {}) == "GET");
}

TEST_CASE("X-HTTP-Method is refused elsewhere, twice, and with another verb") {
  check_refused("PUT", kEntity, {{"X-HTTP-Method", "PUT"}}, ErrorCode::XMethodNotUsingPost);
  check_refused("GET", "/tab", {{"X-HTTP-Method", "MERGE"}}, ErrorCode::XMethodNotUsingPost);
  check_refused("POST", kEntity, {{"X-HTTP-Method", "PUT"}, {"x-http-method", "PUT"}},
                ErrorCode::XMethodIncorrectCount);
  for (const std::string_view value : {"GET", "POST", "HEAD", "merge", "", "PUT,PUT"})
    check_refused("POST", kEntity, {{"X-HTTP-Method", value}}, ErrorCode::XMethodIncorrectValue);
}

// The legacy library for Java sends the header with each merge of a batch.
TEST_CASE("In a batch, X-HTTP-Method may also name the method of the part") {
  CHECK(method_of("MERGE", {{"X-HTTP-Method", "MERGE"}}, true) == "MERGE");
  CHECK(method_of("DELETE", {{"x-http-method", "DELETE"}}, true) == "DELETE");
  CHECK(method_of("POST", {{"X-HTTP-Method", "MERGE"}}, true) == "MERGE");
  const struct {
    std::string_view method;
    Fields fields;
    ErrorCode code;
  } cases[] = {
      {"PUT", {{"X-HTTP-Method", "MERGE"}}, ErrorCode::XMethodNotUsingPost},
      {"MERGE", {{"X-HTTP-Method", "merge"}}, ErrorCode::XMethodNotUsingPost},
      {"MERGE", {{"X-HTTP-Method", "MERGE"}, {"X-HTTP-Method", "MERGE"}}, ErrorCode::XMethodIncorrectCount},
      {"POST", {{"X-HTTP-Method", "GET"}}, ErrorCode::XMethodIncorrectValue},
  };
  for (const auto& c : cases) {
    CAPTURE(c.method);
    try {
      method_of(c.method, c.fields, true);
      FAIL("accepted");
    } catch (const ServiceException& refusal) {
      CHECK(refusal.error() == Error(c.code));
    }
  }
}

// --- Formats ---------------------------------------------------------------------------------------------

TEST_CASE("Accept decides level and form of the answer") {
  const struct {
    std::string_view accept;
    MetadataLevel level;
    bool json;
  } cases[] = {
      {"application/json;odata=nometadata", MetadataLevel::None, true},
      {"application/json;odata=minimalmetadata", MetadataLevel::Minimal, true},
      {"application/json; odata=minimalmetadata", MetadataLevel::Minimal, true},
      {"application/json;odata=fullmetadata", MetadataLevel::Full, true},
      {"Application/JSON ;\todata = FullMetadata ; charset=utf-8", MetadataLevel::Full, true},
      {"application/json", MetadataLevel::Minimal, true},
      {"application/json;charset=utf-8", MetadataLevel::Minimal, true},
      {"*/*", MetadataLevel::Minimal, false},
      {"*/*;q=0.8", MetadataLevel::Minimal, false},
      {"application/*", MetadataLevel::Minimal, false},
      // lists: JSON where it is among them
      {"application/atom+xml,application/json;odata=nometadata", MetadataLevel::None, true},
      {"application/xml, application/json;odata=fullmetadata, application/json", MetadataLevel::Full, true},
      {"text/html, image/gif, *; q=.2, */*; q=.2", MetadataLevel::Minimal, false},
      {"application/atom+xml, */*", MetadataLevel::Minimal, false},
      {"application/json;odata=verbose, application/json;odata=nometadata", MetadataLevel::None, true},
      {",,application/json,", MetadataLevel::Minimal, true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.accept);
    const Fields fields = {{"Accept", c.accept}};
    const Preferences found = preferences("GET", "/tab", fields);
    CHECK(found.level == c.level);
    CHECK(found.json == c.json);
    CHECK_FALSE(refusal("GET", "/tab", fields).has_value());
    CHECK_FALSE(refusal("GET", "/Tables", fields).has_value());
    CHECK_FALSE(refusal("GET", "/Tables('t')", fields).has_value());
    CHECK_FALSE(refusal("GET", kEntity, fields).has_value());
    CHECK_FALSE(refusal("POST", "/Tables", fields).has_value());
    CHECK_FALSE(refusal("POST", "/tab", fields).has_value());
  }
}

TEST_CASE("$format overrides Accept, unless it is empty") {
  const Fields full = {{"Accept", "application/json;odata=fullmetadata"}};
  CHECK(preferences("GET", "/tab?$format=application/json;odata=nometadata", full).level == MetadataLevel::None);
  CHECK(preferences("GET", "/tab?%24format=application%2Fjson%3Bodata%3Dnometadata", full).level ==
        MetadataLevel::None);
  CHECK(preferences("GET", "/tab?$format=", full).level == MetadataLevel::Full);
  CHECK_FALSE(refusal("GET", "/tab?$format=application/json", {}).has_value());
  check_refused("GET", "/tab?$format=application/atom%2Bxml", full, ErrorCode::AtomFormatNotSupported);
  check_refused("GET", "/tab?$format=text/csv", full, ErrorCode::MediaTypeNotSupported);
}

TEST_CASE("Formats that are not served are refused where the answer has a body") {
  const struct {
    std::string_view accept;
    ErrorCode code;
  } cases[] = {
      {"", ErrorCode::AtomFormatNotSupported},
      {"application/atom+xml", ErrorCode::AtomFormatNotSupported},
      {"application/atom+xml;type=feed", ErrorCode::AtomFormatNotSupported},
      {"application/atom+xml,application/xml", ErrorCode::AtomFormatNotSupported},
      {"application/json;odata=verbose", ErrorCode::JsonVerboseFormatNotSupported},
      {"application/xml", ErrorCode::MediaTypeNotSupported},
      {"text/html", ErrorCode::MediaTypeNotSupported},
      {"application/jsonp", ErrorCode::MediaTypeNotSupported},
      {"json", ErrorCode::MediaTypeNotSupported},
      {",", ErrorCode::MediaTypeNotSupported},
  };
  for (const auto& c : cases) {
    const Fields fields = {{"Accept", c.accept}};
    for (const std::string_view url : {"/tab", "/Tables", "/Tables('t')", kEntity})
      check_refused("GET", url, fields, c.code);
    check_refused("POST", "/tab", fields, c.code);
    check_refused("POST", "/Tables", fields, c.code);
    CHECK_FALSE(preferences("GET", "/tab", fields).json);  // and say so in XML
  }
  check_refused("GET", "/tab", {}, ErrorCode::AtomFormatNotSupported);
}

TEST_CASE("An answer without body needs no format, but Atom is refused in any case") {
  const Fields none = {{"If-Match", "*"}}, any = {{"If-Match", "*"}, {"Accept", "*/*"}};
  const Fields atom = {{"If-Match", "*"}, {"Accept", "application/atom+xml"}};
  for (const std::string_view method : {"PUT", "PATCH", "MERGE", "DELETE"}) {
    CAPTURE(method);
    CHECK_FALSE(refusal(method, kEntity, none).has_value());
    CHECK_FALSE(refusal(method, kEntity, any).has_value());
    check_refused(method, kEntity, atom, ErrorCode::AtomFormatNotSupported);
  }
  CHECK_FALSE(refusal("DELETE", "/Tables('t')", {}).has_value());
  CHECK_FALSE(refusal("POST", "/tab", {{"Prefer", "return-no-content"}}).has_value());
  CHECK_FALSE(refusal("POST", "/Tables", {{"Prefer", "return-no-content"}}).has_value());
  check_refused("POST", "/tab", {{"Prefer", "return-content"}}, ErrorCode::AtomFormatNotSupported);
  // A batch answers in multipart/mixed, whatever it was asked for.
  for (const std::string_view accept : {"", "multipart/mixed", "application/atom+xml,application/xml"})
    CHECK_FALSE(refusal("POST", "/$batch", {{"Accept", accept}}).has_value());
}

TEST_CASE("Request bodies are JSON") {
  const struct {
    std::string_view content_type;
    std::optional<ErrorCode> code;
  } cases[] = {
      {"application/json", {}},
      {"application/json;odata=nometadata", {}},
      {"application/json; odata=fullmetadata; charset=UTF-8", {}},
      {"", {}},
      {"application/atom+xml", ErrorCode::AtomFormatNotSupported},
      {"application/atom+xml;type=entry", ErrorCode::AtomFormatNotSupported},
      {"application/json;odata=verbose", ErrorCode::JsonVerboseFormatNotSupported},
      {"application/xml", ErrorCode::MediaTypeNotSupported},
      {"application/x-www-form-urlencoded", ErrorCode::MediaTypeNotSupported},
      {"application/json5", ErrorCode::MediaTypeNotSupported},
      {"*/*", ErrorCode::MediaTypeNotSupported},
  };
  for (const auto& c : cases) {
    CAPTURE(c.content_type);
    const Fields fields = {{"Accept", "application/json"}, {"Content-Type", c.content_type}, {"If-Match", "*"}};
    const std::pair<std::string_view, std::string_view> bodies[] = {
        {"POST", "/Tables"}, {"POST", "/tab"}, {"PUT", kEntity}, {"PATCH", kEntity}, {"MERGE", kEntity}};
    for (const auto& [method, url] : bodies) {
      if (c.code) check_refused(method, url, fields, *c.code);
      if (!c.code) CHECK_FALSE(refusal(method, url, fields).has_value());
    }
    // no body, no business
    CHECK_FALSE(refusal("DELETE", kEntity, fields).has_value());
    CHECK_FALSE(refusal("GET", "/tab", fields).has_value());
  }
}

TEST_CASE("The ACL speaks XML alone, */* is refused as the service refuses it") {
  for (const std::string_view method : {"GET", "HEAD", "PUT"}) {
    for (const std::string_view accept :
         {"", "application/xml", "application/atom+xml,application/xml", "application/atom+xml, Application/XML"}) {
      CAPTURE(accept);
      CHECK_FALSE(refusal(method, "/tab?comp=acl", {{"Accept", accept}}).has_value());
    }
    for (const std::string_view accept : {"*/*", "application/json", "application/atom+xml"})
      check_refused(method, "/tab?comp=acl", {{"Accept", accept}}, ErrorCode::MediaTypeNotSupported);
  }
  CHECK_FALSE(refusal("PUT", "/?restype=service&comp=properties", {{"Accept", "*/*"}}).has_value());
}

TEST_CASE("Prefer counts on inserts, replacements and merges, and is ignored elsewhere") {
  const auto prefer = [](std::string_view method, std::string_view value) {
    return preferences(method, "/tab", {{"Prefer", value}}).prefer;
  };
  for (const std::string_view method : {"POST", "PUT", "MERGE", "PATCH"}) {
    CAPTURE(method);
    CHECK(prefer(method, "return-no-content") == Prefer::ReturnNoContent);
    CHECK(prefer(method, "return-content") == Prefer::ReturnContent);
    CHECK(prefer(method, " Return-Content ") == Prefer::ReturnContent);
    CHECK(prefer(method, "return=minimal") == Prefer::None);
    CHECK(prefer(method, "") == Prefer::None);
  }
  for (const std::string_view method : {"GET", "DELETE"}) {
    CAPTURE(method);
    CHECK(prefer(method, "return-no-content") == Prefer::None);
  }
  const auto tunnelled = [](std::string_view method) {
    return preferences("POST", "/tab", {{"Prefer", "return-no-content"}, {"X-HTTP-Method", method}}).prefer;
  };
  for (const std::string_view method : {"PUT", "MERGE", "PATCH"}) CHECK(tunnelled(method) == Prefer::ReturnNoContent);
  CHECK(tunnelled("DELETE") == Prefer::None);
}

// --- Conditions ------------------------------------------------------------------------------------------

TEST_CASE("If-Match is nothing, any, or one ETag, percent-encoded or not") {
  const auto condition = [&](const Fields& fields) {
    return to_text(std::get<WriteEntity>(parsed("PUT", kEntity, fields)).condition);
  };
  CHECK(condition({}) == "none");
  CHECK(condition({{"If-Match", "*"}}) == "any");
  CHECK(condition({{"if-match", "W/\"datetime'2021-05-26T15%3A48%3A10.6785697Z'\""}}) ==
        "2021-05-26T15:48:10.6785697Z");
  CHECK(condition({{"If-Match", "W/\"datetime'2021-05-26T15:48:10.67Z'\""}}) == "2021-05-26T15:48:10.67Z");
}

TEST_CASE("What is no ETag of the service is refused in two ways") {
  const auto invalid = [](const std::string& value) {
    return Error{ErrorCode::InvalidInput, "The etag value '" + value +
                                              "' specified in one of the request headers is not valid. Please make "
                                              "sure only one etag value is specified and is valid."};
  };
  for (const std::string_view method : {"PUT", "PATCH", "MERGE", "DELETE"}) {
    for (const std::string value : {"GolangRocksOnAzure", "\"strong\"", "W/x", "**"})
      check_refused(method, kEntity, {{"If-Match", value}}, invalid(value));
    for (const std::string_view value :
         {"W/\"datetime''2017-04-01T01%3A07%3A23.8881885Z''\"", "W/\"\"", "W/\"0x1\"", "W/\"datetime'now'\""})
      check_refused(method, kEntity, {{"If-Match", value}}, ErrorCode::ConditionNotMet);
  }
}

TEST_CASE("Of two If-Match headers neither counts") {
  for (const std::string_view method : {"PUT", "PATCH", "MERGE", "DELETE"})
    check_refused(method, kEntity, {{"If-Match", "*"}, {"if-match", "W/\"datetime'2021-05-26T15:48:10Z'\""}},
                  invalid_etag("*, W/\"datetime'2021-05-26T15:48:10Z'\""));
}

TEST_CASE("Several Accept headers are one list") {
  const Fields fields = {{"Accept", "text/html"}, {"accept", "application/json;odata=nometadata"}};
  CHECK(preferences("GET", "/tab", fields).level == MetadataLevel::None);
  CHECK_FALSE(refusal("GET", "/tab", fields).has_value());
}

TEST_CASE("If-None-Match does not go with writes") {
  for (const std::string method : {"PUT", "PATCH", "MERGE", "DELETE"}) {
    check_refused(
        method, kEntity, {{"If-None-Match", "*"}},
        {ErrorCode::InvalidInput, "If-None-Match HTTP header cannot be specified for " + method + " operations."});
    check_refused(method, kEntity, {{"If-Match", "*"}, {"If-None-Match", "*"}},
                  {ErrorCode::InvalidInput,
                   "Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please "
                   "specify either one of the headers or none of them."});
  }
  Fields fields = kJson;
  fields.emplace_back("If-None-Match", "W/\"datetime'2021-05-26T15%3A48%3A10.6785697Z'\"");
  fields.emplace_back("If-Match", "nonsense");
  CHECK_FALSE(refusal("GET", kEntity, fields).has_value());
  CHECK_FALSE(refusal("POST", "/tab", fields).has_value());
}

TEST_CASE("A delete needs If-Match") {
  check_refused("DELETE", kEntity, {}, ErrorCode::MissingRequiredHeader);
  check_refused("DELETE", kEntity, {{"If-Match", ""}}, ErrorCode::MissingRequiredHeader);
  CHECK(to_text(parsed("DELETE", kEntity, {{"If-Match", "*"}})) == "delete tab p/r any");
  CHECK_FALSE(refusal("DELETE", "/Tables('t')", {}).has_value());
}

// --- Query options ---------------------------------------------------------------------------------------

QueryEntities query(std::string_view url) { return std::get<QueryEntities>(parsed("GET", url)); }

TEST_CASE("A query without options asks for all, in pages of 1000, for 5 seconds") {
  const QueryEntities all = query("/tab");
  CHECK_FALSE(all.filter.has_value());
  CHECK_FALSE(all.select.has_value());
  CHECK(to_string(all.plan.ranges) == "[(,) end)");
  CHECK(all.page_size == 1000);
  CHECK(all.time_limit == std::chrono::seconds(5));
}

TEST_CASE("A filter is parsed and planned; white space is none") {
  const QueryEntities point = query("/tab?$filter=PartitionKey%20eq%20'a'+and+RowKey%20eq%20%27b%27");
  CHECK_FALSE(point.filter.has_value());  // the plan has it all
  CHECK(to_string(point.plan.ranges) == "[(a,b) (a,b+))");
  CHECK_FALSE(query("/tab?$filter=").filter.has_value());
  CHECK_FALSE(query("/tab?%24filter=%20+").filter.has_value());
  check_refused("GET", "/tab?$filter=aaa%20bbb%20ccc", kJson,
                {ErrorCode::InvalidInput, "Syntax error at position 7 in 'aaa bbb ccc'."});
  check_refused("GET", "/tab?$filter=startswith(a,'b')", kJson, ErrorCode::NotImplemented);
  // tables have one property
  CHECK(std::get<QueryTables>(parsed("GET", "/Tables?$filter=TableName%20eq%20'a'")).filter.has_value());
  check_refused("GET", "/Tables?$filter=Other%20eq%20'a'", kJson, ErrorCode::InvalidInput);
}

TEST_CASE("An option that comes twice is refused") {
  for (const std::string name : {"$filter", "$top", "$select", "NextPartitionKey", "NextTableName"})
    for (const std::string_view url : {"/tab", "/Tables"})
      check_refused("GET", std::string(url) + "?" + name + "=1&" + to_lower_ascii(name) + "=1", kJson,
                    ErrorCode::InvalidInput);
  check_refused("GET", "/tab?$format=application/json&%24format=application/json", kJson, ErrorCode::InvalidInput);
  CHECK_FALSE(refusal("GET", "/tab?x=1&x=1").has_value());
}

TEST_CASE("$top=0 reads nothing, whatever is asked for beside it") {
  for (const std::string more : {"", "&$filter=PartitionKey%20eq%20'a'", "&NextPartitionKey=1!4!cGs-"}) {
    const QueryEntities none = query("/tab?$top=0" + more);
    CHECK(none.page_size == 0);
    CHECK(to_string(none.plan) == "point nothing");
  }
  for (const std::string more : {"", "&$filter=TableName%20ge%20'a'", "&NextTableName=1!4!cGs-"}) {
    const auto none = std::get<QueryTables>(parsed("GET", "/Tables?$top=0" + more));
    CHECK(none.page_size == 0);
    CHECK(none.names.empty());
  }
  check_refused("GET", "/tab?$top=0&NextPartitionKey=x", kJson, ErrorCode::InvalidInput);
}

TEST_CASE("$top is at most 1000") {
  CHECK(query("/tab?$top=1").page_size == 1);
  CHECK(query("/tab?%24TOP=1000").page_size == 1000);
  CHECK(std::get<QueryTables>(parsed("GET", "/Tables?$top=7")).page_size == 7);
  for (const std::string value : {"1001", "-1", "", "x", "1.5", "1x", "99999999999", "%201"}) {
    check_refused("GET", "/tab?$top=" + value, kJson, ErrorCode::InvalidInput);
    check_refused("GET", "/Tables?$top=" + value, kJson, ErrorCode::InvalidInput);
  }
}

TEST_CASE("timeout shortens a query, and never prolongs it") {
  CHECK(query("/tab?timeout=1").time_limit == std::chrono::seconds(1));
  CHECK(query("/tab?timeout=5").time_limit == std::chrono::seconds(5));
  CHECK(query("/tab?timeout=30").time_limit == std::chrono::seconds(5));
  CHECK(query("/tab?timeout=0").time_limit == std::chrono::seconds(5));
  for (const std::string value : {"-1", "", "x", "1s"})
    check_refused("GET", "/tab?timeout=" + value, kJson, ErrorCode::InvalidQueryParameterValue);
}

TEST_CASE("$select names properties, of queries and of one entity") {
  CHECK(query("/tab?$select=age,%20sex").select->names == std::vector<std::string>{"age", "sex"});
  CHECK(query("/tab?$select=").select->names.empty());
  const auto one = std::get<GetEntity>(parsed("GET", "/tab(PartitionKey='p',RowKey='r')?$select=age"));
  CHECK(one.select->names == std::vector<std::string>{"age"});
  CHECK_FALSE(refusal("GET", "/Tables?$select=TableName").has_value());
}

TEST_CASE("Options that the service does not know are refused on every resource of the table layer") {
  for (const std::string option :
       {"$orderby=a", "$skip=1", "$expand=x", "$inlinecount=allpages", "%24count", "$SkipToken=x", "$"}) {
    for (const std::string url : {"/tab?", "/Tables?", "/tab(PartitionKey='p',RowKey='r')?"})
      check_refused("GET", url + option, kJson, ErrorCode::NotImplemented);
    check_refused("POST", "/tab?" + option, kJson, ErrorCode::NotImplemented);
  }
  CHECK_FALSE(refusal("GET", "/tab?other=1&orderby=a&sv=2019-02-02&sig=x").has_value());
}

// --- Continuation ----------------------------------------------------------------------------------------

std::string token(std::string_view text) { return percent_encode(encode_continuation_token(text)); }

TEST_CASE("A query resumes where its tokens say") {
  CHECK(to_string(query("/tab?NextPartitionKey=1!4!cGs-&NextRowKey=1!4!cms-").plan.ranges) == "[(pk,rk) end)");
  CHECK(to_string(query("/tab?nextpartitionkey=1%214%21cGs-").plan.ranges) == "[(pk,) end)");
  CHECK(to_string(
            query("/tab?$filter=PartitionKey%20eq%20'a'&NextPartitionKey=" + token("a") + "&NextRowKey=" + token("5"))
                .plan.ranges) == "[(a,5) (a+,))");
  CHECK(query("/tab?$filter=PartitionKey%20eq%20'a'&NextPartitionKey=" + token("b")).plan.ranges.empty());
}

TEST_CASE("A query of tables reads the names that its filter leaves, from its token on") {
  const auto names = [](const std::string& url) { return to_string(std::get<QueryTables>(parsed("GET", url)).names); };
  CHECK(names("/Tables") == "[(,) end)");
  CHECK(names("/Tables?NextTableName=" + token(table_token_text("mytable", 1))) == "[(mytable,) end)");
  CHECK(names("/Tables?nexttablename=" + token("MyTable")) == "[(mytable,) end)");
  const std::string prefix = "/Tables?$filter=TableName%20ge%20'Ab'%20and%20TableName%20lt%20'Ab%7B'";
  CHECK(names(prefix) == "[(ab,) (ab{,))");
  CHECK(names(prefix + "&NextTableName=" + token("abc")) == "[(abc,) (ab{,))");
  CHECK(names(prefix + "&NextTableName=" + token("b")).empty());
}

TEST_CASE("Tokens that the service did not write are refused") {
  for (const std::string value : {"", "pk", "1!4!", "1!5!cGs-", "2!4!cGs-", "1!4!cGs%3D"}) {
    check_refused("GET", "/tab?NextPartitionKey=" + value, kJson, ErrorCode::InvalidInput);
    check_refused("GET", "/tab?NextPartitionKey=" + token("a") + "&NextRowKey=" + value, kJson,
                  ErrorCode::InvalidInput);
    check_refused("GET", "/Tables?NextTableName=" + value, kJson, ErrorCode::InvalidInput);
  }
  check_refused("GET", "/tab?NextRowKey=" + token("a"), kJson, ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
