// The shape of a request: what is the same in all requests that a program makes for the same purpose.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rocktable {

// A shape as views. The same fields as QueryShape.
struct QueryShapeView {
  std::string_view account, table, operation, plan, fingerprint, select, client, test;

  bool operator==(const QueryShapeView&) const = default;
};

struct QueryShape {
  static constexpr std::size_t kMaxText = 1'024;  // bytes of fingerprint and select, and some more for the hash

  std::string account;
  std::string table;           // lower case, digits folded (odata/insight/folded_table.h); empty: none
  std::string_view operation;  // a constant: `QueryEntities`, `InsertOrMergeEntity`
  std::string_view plan;       // a constant: `row-range`; empty: reads nothing by key
  std::string fingerprint;     // filter_shape() of its filter; empty: none
  std::string select;          // `Age,Name`; empty: everything
  std::string client;          // client_of()
  std::string test;            // test_of()

  QueryShape() = default;
  explicit QueryShape(const QueryShapeView& view);
  QueryShapeView view() const;
  // The memory that its texts take.
  std::size_t bytes() const;
};

std::size_t hash_of(const QueryShapeView& shape);

// The text of a shape: a filter or a selection can have 64 KB, and those of shapes are kept. Returns a short text as it
// is, and of a longer one its beginning and a hash, in `buffer`: `Age,Name...#1234567890`.
std::string_view bounded_text(std::string_view text, std::string& buffer);

// The first product of a User-Agent: `azsdk-js-data-tables/13.1.1`. At most 64 bytes.
std::string_view client_of(std::string_view user_agent);

// The most bytes of a target in an example.
inline constexpr std::size_t kMaxExample = 500;

// A request as an example of a shape or a finding, without its signature: `GET /account/orders()?sig=***`.
std::string example_of(std::string_view method, std::string_view target);

// The name of the test that sent a request: the part of x-ms-client-request-id before its last `/`. Empty if there is
// none: SDKs send a GUID. At most 256 bytes.
std::string_view test_of(std::string_view client_request_id);

}  // namespace rocktable
