#include "server/insight/query_shape.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {

TEST_CASE("the client is the first product of its User-Agent") {
  CHECK(client_of("azsdk-js-data-tables/13.1.1 Node/20.1 OS/(x64-Linux)") == "azsdk-js-data-tables/13.1.1");
  CHECK(client_of("curl/8") == "curl/8");
  CHECK(client_of(std::string(100, 'x')).size() == 64);
}

TEST_CASE("a test is named before the last slash of the client's request id") {
  CHECK(test_of("orders/lists all/0f8c") == "orders/lists all");
  CHECK(test_of("0f8cb0a6-6f6f-4f4e-8a43-000000000000").empty());
  CHECK(test_of("").empty());
}

TEST_CASE("a long text is kept as its beginning and a hash") {
  std::string buffer;
  const std::string longest(QueryShape::kMaxText, 'x');
  CHECK(bounded_text(longest, buffer).data() == longest.data());
  const std::string one = longest + "1", two = longest + "2";
  const std::string shown(bounded_text(one, buffer));
  CHECK(shown.starts_with(longest + "...#"));
  CHECK(shown.size() < QueryShape::kMaxText + 30);
  CHECK(bounded_text(one, buffer) == shown);
  CHECK(bounded_text(two, buffer) != shown);
  const std::string umlauts = std::string(QueryShape::kMaxText - 1, 'x') + "\u00e4\u00e4";
  CHECK(bounded_text(umlauts, buffer).starts_with(std::string(QueryShape::kMaxText - 1, 'x') + "...#"));
}

TEST_CASE("the hash of a shape depends on all its parts") {
  const QueryShapeView shape{"account", "table", "QueryEntities", "point", "A eq ?", "A", "client", "test"};
  QueryShapeView other = shape;
  CHECK(hash_of(shape) == hash_of(other));
  other.test = "another";
  CHECK(hash_of(shape) != hash_of(other));
  CHECK(QueryShape(shape).view() == shape);
}

}  // namespace rocktable::TEST_FILE
