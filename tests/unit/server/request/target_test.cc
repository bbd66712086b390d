// Request targets: account, base URL, resource and query in path and host style; query parameters.
#include "server/request/target.h"

#include <doctest/doctest.h>

#include <string>

namespace rocktable::TEST_FILE {
namespace {

struct Parts {
  std::string_view account, base_url, resource, query;
  bool secondary = false;
};

void check_target(const Result<Target>& target, const Parts& expected) {
  REQUIRE(target.has_value());
  CHECK(target->account == expected.account);
  CHECK(target->base_url == expected.base_url);
  CHECK(target->resource == expected.resource);
  CHECK(target->query == expected.query);
  CHECK(target->secondary == expected.secondary);
}

TEST_CASE("In path style the account is the first segment") {
  constexpr std::string_view kHost = "127.0.0.1:10002", kBase = "http://127.0.0.1:10002/acc";
  const struct {
    std::string_view target;
    Parts parts;
  } cases[] = {
      {"/acc", {"acc", kBase, "/", ""}},
      {"/acc/", {"acc", kBase, "/", ""}},
      {"/acc?comp=stats", {"acc", kBase, "/", "comp=stats"}},
      {"/acc/?comp=stats", {"acc", kBase, "/", "comp=stats"}},
      {"/acc/Tables", {"acc", kBase, "/Tables", ""}},
      {"/acc/Tables('a')?$format=x", {"acc", kBase, "/Tables('a')", "$format=x"}},
      {"/acc//Tables", {"acc", kBase, "/Tables", ""}},     // one empty segment, as the library for Java sends it
      {"/acc///Tables", {"acc", kBase, "///Tables", ""}},  // two are left: a link to `//Tables` would lead elsewhere
      {"/acc-secondary//Tables", {"acc", "http://127.0.0.1:10002/acc-secondary", "/Tables", "", true}},
      {"/acc-secondary/acc//Tables", {"acc", "http://127.0.0.1:10002/acc-secondary", "/Tables", "", true}},
      {"/acc-secondary/acc/acc", {"acc", "http://127.0.0.1:10002/acc-secondary", "/acc", "", true}},
      {"/acc-secondary/acc/acc/t", {"acc", "http://127.0.0.1:10002/acc-secondary", "/acc/acc/t", "", true}},
      // nothing is decoded or normalised, and only the first question mark counts
      {"/acc/t(PartitionKey=%27a%2Fb%27)", {"acc", kBase, "/t(PartitionKey=%27a%2Fb%27)", ""}},
      {"/acc/../t", {"acc", kBase, "/../t", ""}},
      {"/acc/t?a=/b?c", {"acc", kBase, "/t", "a=/b?c"}},
      {"/acc/t?", {"acc", kBase, "/t", ""}},
      {"/Acc/t", {"Acc", "http://127.0.0.1:10002/Acc", "/t", ""}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.target);
    check_target(parse_target(c.target, kHost, false, true), c.parts);
  }
}

TEST_CASE("A name with a dot that is no address is host style: the account is what stands before the dot") {
  const struct {
    std::string_view host;
    Parts parts;
  } cases[] = {
      {"acc.table.localhost:10002", {"acc", "http://acc.table.localhost:10002", "/acc/t", "x=1"}},
      {"acc.table.localhost", {"acc", "http://acc.table.localhost", "/acc/t", "x=1"}},
      {"acc.table.core.windows.net", {"acc", "http://acc.table.core.windows.net", "/acc/t", "x=1"}},
      {"Acc.Table.LocalHost:1", {"acc", "http://Acc.Table.LocalHost:1", "/acc/t", "x=1"}},
      {"host.docker.internal.example", {"host", "http://host.docker.internal.example", "/acc/t", "x=1"}},
      // path style: addresses, names without a dot, Docker's name of its host
      {"127.0.0.1", {"acc", "http://127.0.0.1/acc", "/t", "x=1"}},
      {"10.1.2.3:80", {"acc", "http://10.1.2.3:80/acc", "/t", "x=1"}},
      {"[::1]:10002", {"acc", "http://[::1]:10002/acc", "/t", "x=1"}},
      {"[::ffff:10.1.2.3]", {"acc", "http://[::ffff:10.1.2.3]/acc", "/t", "x=1"}},
      {"[broken.example", {"acc", "http://[broken.example/acc", "/t", "x=1"}},
      {"localhost", {"acc", "http://localhost/acc", "/t", "x=1"}},
      {"localhost:10002", {"acc", "http://localhost:10002/acc", "/t", "x=1"}},
      {"rocktable:10002", {"acc", "http://rocktable:10002/acc", "/t", "x=1"}},
      {"host.docker.internal", {"acc", "http://host.docker.internal/acc", "/t", "x=1"}},
      {"Host.Docker.Internal:10002", {"acc", "http://Host.Docker.Internal:10002/acc", "/t", "x=1"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.host);
    check_target(parse_target("/acc/t?x=1", c.host, false, true), c.parts);
  }
}

TEST_CASE("Without product style every host is path style") {
  check_target(parse_target("/acc/t", "other.table.localhost:10002", false, false),
               {"acc", "http://other.table.localhost:10002/acc", "/t", ""});
}

TEST_CASE("Links start with https where the connection is TLS") {
  check_target(parse_target("/acc/t", "localhost", true, true), {"acc", "https://localhost/acc", "/t", ""});
  check_target(parse_target("/t", "acc.table.localhost", true, true), {"acc", "https://acc.table.localhost", "/t", ""});
}

TEST_CASE("-secondary marks the secondary location: cut off the account, kept in links") {
  check_target(parse_target("/acc-secondary/t", "localhost", false, true),
               {"acc", "http://localhost/acc-secondary", "/t", "", true});
  check_target(parse_target("/acc-secondary?comp=stats", "localhost", false, true),
               {"acc", "http://localhost/acc-secondary", "/", "comp=stats", true});
  check_target(parse_target("/t", "acc-secondary.table.localhost", false, true),
               {"acc", "http://acc-secondary.table.localhost", "/t", "", true});
  check_target(parse_target("/t", "acc-Secondary.table.localhost", false, true),
               {"acc", "http://acc-Secondary.table.localhost", "/t", "", true});
  check_target(parse_target("/secondary/acc-secondary", "localhost", false, true),
               {"secondary", "http://localhost/secondary", "/acc-secondary", ""});
}

// azure-data-tables for Python asks so for the statistics.
TEST_CASE("The secondary location may stand before the whole path of the primary") {
  const struct {
    std::string_view target, resource;
    bool secondary = true;
  } cases[] = {
      {"/acc-secondary/acc/", "/"},           {"/acc-secondary/acc/Tables", "/Tables"},
      {"/acc-secondary/acc", "/acc"},          // a table
      {"/acc-secondary/acc()", "/acc()"},      // its entities
      {"/acc-secondary/other/t", "/other/t"},  // of another account: left as it is
      {"/acc/acc/t", "/acc/t", false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.target);
    const std::string base = c.secondary ? "http://localhost/acc-secondary" : "http://localhost/acc";
    check_target(parse_target(c.target, "localhost", false, true), {"acc", base, c.resource, "", c.secondary});
  }
}

// So the SDK for Python writes it.
TEST_CASE("The secondary location may stand before the primary's whole path") {
  check_target(parse_target("/acc-secondary/acc/Tables?x=1", "localhost", false, true),
               {"acc", "http://localhost/acc-secondary", "/Tables", "x=1", true});
  check_target(parse_target("/acc-secondary/acc/?comp=stats", "localhost", false, true),
               {"acc", "http://localhost/acc-secondary", "/", "comp=stats", true});
  // tables of that name, or nearly
  check_target(parse_target("/acc-secondary/acc", "localhost", false, true),
               {"acc", "http://localhost/acc-secondary", "/acc", "", true});
  check_target(parse_target("/acc-secondary/acc(PartitionKey='',RowKey='')", "localhost", false, true),
               {"acc", "http://localhost/acc-secondary", "/acc(PartitionKey='',RowKey='')", "", true});
  check_target(parse_target("/acc-secondary/account/t", "localhost", false, true),
               {"acc", "http://localhost/acc-secondary", "/account/t", "", true});
  check_target(parse_target("/acc/acc/t", "localhost", false, true), {"acc", "http://localhost/acc", "/acc/t", ""});
}

TEST_CASE("An absolute target names its host itself") {
  check_target(parse_target("http://other:1/acc/t?x=1", "localhost", false, true),
               {"acc", "http://other:1/acc", "/t", "x=1"});
  check_target(parse_target("https://acc.table.localhost/t", "localhost", false, true),
               {"acc", "http://acc.table.localhost", "/t", ""});
  check_target(parse_target("http://acc.table.localhost", "", false, true),
               {"acc", "http://acc.table.localhost", "/", ""});
}

TEST_CASE("A target without host, account or path is refused") {
  const struct {
    std::string_view target, host;
    ErrorCode code;
  } cases[] = {
      {"/acc/t", "", ErrorCode::HostInformationNotPresent},
      {"http:///acc/t", "localhost", ErrorCode::HostInformationNotPresent},
      {"/", "localhost", ErrorCode::InvalidUri},
      {"//t", "localhost", ErrorCode::InvalidUri},
      {"/?comp=stats", "localhost", ErrorCode::InvalidUri},
      {"/-secondary/t", "localhost", ErrorCode::InvalidUri},
      {"/t", ".table.localhost", ErrorCode::InvalidUri},
      {"/t", "-secondary.table.localhost", ErrorCode::InvalidUri},
      {"", "localhost", ErrorCode::InvalidUri},
      {"*", "localhost", ErrorCode::InvalidUri},
      {"acc/t", "localhost", ErrorCode::InvalidUri},
      {"?comp=stats", "localhost", ErrorCode::InvalidUri},
      {"ftp://localhost/acc/t", "localhost", ErrorCode::InvalidUri},
      {"http://localhost?x=1", "localhost", ErrorCode::InvalidUri},
  };
  for (const auto& c : cases) {
    CAPTURE(c.target);
    CAPTURE(c.host);
    const auto target = parse_target(c.target, c.host, false, true);
    REQUIRE(target.has_error());
    CHECK(target.error() == Error(c.code));
  }
}

TEST_CASE("The path of a URL in a batch: scheme and host cut off, a slash in front") {
  const struct {
    std::string_view url, path;
  } cases[] = {
      {"http://127.0.0.1:10002/acc/t?x=1", "/acc/t?x=1"},
      {"https://acc.table.core.windows.net/t", "/t"},
      {"http://host", "/"},
      {"http://host?x=1", "/?x=1"},
      {"/acc/t", "/acc/t"},
      {"t(PartitionKey='http://x',RowKey='')", "/t(PartitionKey='http://x',RowKey='')"},
      {"", "/"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.url);
    CHECK(path_of_url(c.url) == c.path);
  }
}

// A thread remembers the form of the last host.
TEST_CASE("A dot segment is one in any spelling, and only in the path") {
  for (const char* target : {"/a/..", "/a/../b", "/./a", "..", "/a/%2e%2E/b", "/a/.%2e?x", "/a\\..\\b", "/a/."})
    CHECK_MESSAGE(has_dot_segment(target), target);
  for (const char* target : {"", "/", "/a", "/a/...", "/a?x=/../b", "/t(PartitionKey='..',RowKey='.')", "/a..",
                             "/.a/b.", "/a/%252e%252e/b", "/a/%2e%2"})
    CHECK_FALSE_MESSAGE(has_dot_segment(target), target);
}

TEST_CASE("Hosts of all forms are told apart in any order") {
  for (const bool product_style : {true, false}) {
    for (int i = 0; i < 2; ++i) {
      const auto account_at = [&](std::string_view host) {
        const auto target = parse_target("/path/t", host, false, product_style);
        return target ? target->account : std::string(to_string(target.error().code));
      };
      CHECK(account_at("acc.table.localhost:10002") == (product_style ? "acc" : "path"));
      CHECK(account_at("127.0.0.1:10002") == "path");
      CHECK(account_at("other.table.localhost:10002") == (product_style ? "other" : "path"));
      CHECK(account_at("other table.localhost") == "InvalidHeaderValue");
      CHECK(account_at("[::1]:10002") == "path");
      CHECK(account_at("") == "HostInformationNotPresent");
      CHECK(account_at("localhost") == "path");
    }
  }
}

TEST_CASE("Query parameters are decoded once, and found without regard to case") {
  const QueryParameters query =
      QueryParameters::parse("%24filter=a+eq%20%27b%2Bc%27&$TOP=5&x=%2541&empty=&bare&x=second&&=nameless").value();
  CHECK(query.get("$filter") == "a eq 'b+c'");
  CHECK(query.get("$Filter") == "a eq 'b+c'");
  CHECK(query.get("$top") == "5");
  CHECK(query.get("x") == "%41");
  CHECK(query.get("empty") == "");
  CHECK(query.get("bare") == "");
  CHECK_FALSE(query.get("filter").has_value());
  CHECK(query.get("").has_value());
  CHECK(query.all().size() == 8);
  CHECK(QueryParameters::parse("")->all().empty());
  CHECK(QueryParameters::parse("a=b=c")->get("a") == "b=c");
  CHECK(QueryParameters::parse("a=%C3%A9")->get("a") == "\xC3\xA9");
}

TEST_CASE("A query that is not percent-encoded UTF-8 is refused") {
  for (const std::string_view raw : {"a=%", "a=%4", "a=%zz", "%zz=a", "a=b&c=%E9", "a=\xE9", "a=1&b=%ED%A0%80"}) {
    CAPTURE(raw);
    const auto query = QueryParameters::parse(raw);
    REQUIRE(query.has_error());
    CHECK(query.error() == Error(ErrorCode::InvalidInput));
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
