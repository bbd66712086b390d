#include "server/insight/query_shape.h"

#include <algorithm>
#include <functional>

#include "odata/text.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxClient = 64;
constexpr std::size_t kMaxTest = 256;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

QueryShape::QueryShape(const QueryShapeView& view)
    : account(view.account),
      table(view.table),
      operation(view.operation),
      plan(view.plan),
      fingerprint(view.fingerprint),
      select(view.select),
      client(view.client),
      test(view.test) {}

QueryShapeView QueryShape::view() const {
  return {account, table, operation, plan, fingerprint, select, client, test};
}

std::size_t hash_of(const QueryShapeView& shape) {
  std::size_t out = 0;
  for (const std::string_view part : {shape.account, shape.table, shape.operation, shape.plan,
                                      shape.fingerprint, shape.select, shape.client, shape.test})
    out = out * 0x9e3779b97f4a7c15 + std::hash<std::string_view>()(part);
  return out;
}

std::string folded_table(std::string_view table) {
  std::string out = to_lower_ascii(table);
  if (std::none_of(out.begin(), out.end(), is_digit)) return out;
  std::size_t length = 0;
  bool in_digits = false;
  for (const char c : out) {
    if (!is_digit(c)) {
      out[length++] = c;
    } else if (!in_digits) {
      out[length++] = '#';
    }
    in_digits = is_digit(c);
  }
  out.resize(length);
  return out;
}

std::string_view client_of(std::string_view user_agent) {
  return user_agent.substr(0, std::min(user_agent.find(' '), kMaxClient));
}

std::string_view test_of(std::string_view client_request_id) {
  const auto slash = client_request_id.rfind('/');
  return slash == client_request_id.npos ? std::string_view()
                                         : client_request_id.substr(0, std::min(slash, kMaxTest));
}

}  // namespace rocktable
