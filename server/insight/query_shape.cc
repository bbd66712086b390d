#include "server/insight/query_shape.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "odata/insight/text_hash.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxClient = 64;
constexpr std::size_t kMaxTest = 256;

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
  std::uint64_t out = 0;
  for (const std::string_view part : {shape.account, shape.table, shape.operation, shape.plan,
                                      shape.fingerprint, shape.select, shape.client, shape.test})
    out = joined_hash(out, text_hash(part));
  return out;
}

std::string_view client_of(std::string_view user_agent) {
  return user_agent.substr(0, std::min(user_agent.find(' '), kMaxClient));
}

std::string_view test_of(std::string_view client_request_id) {
  const void* const slash = memrchr(client_request_id.data(), '/', client_request_id.size());
  if (slash == nullptr) return {};
  const auto length = static_cast<std::size_t>(static_cast<const char*>(slash) - client_request_id.data());
  return client_request_id.substr(0, std::min(length, kMaxTest));
}

}  // namespace rocktable
