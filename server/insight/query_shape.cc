#include "server/insight/query_shape.h"

#include <algorithm>
#include <cstdint>

#include "base/platform/memory.h"
#include "odata/insight/text_hash.h"
#include "server/events/masking.h"

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

QueryShapeView QueryShape::view() const { return {account, table, operation, plan, fingerprint, select, client, test}; }

std::size_t QueryShape::bytes() const {
  std::size_t out = 0;
  for (const std::string* const text : {&account, &table, &fingerprint, &select, &client, &test}) out += text->size();
  return out;
}

std::string_view bounded_text(std::string_view text, std::string& buffer) {
  if (text.size() <= QueryShape::kMaxText) return text;
  std::size_t length = QueryShape::kMaxText;
  const auto is_inside_character = [&] { return (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80; };
  while (length > 0 && is_inside_character()) --length;
  buffer.assign(text.substr(0, length)).append("...#").append(std::to_string(text_hash(text)));
  return buffer;
}

std::size_t hash_of(const QueryShapeView& shape) {
  std::uint64_t out = 0;
  for (const std::string_view part : {shape.account, shape.table, shape.operation, shape.plan, shape.fingerprint,
                                      shape.select, shape.client, shape.test})
    out = joined_hash(out, text_hash(part));
  return out;
}

std::string_view client_of(std::string_view user_agent) {
  return user_agent.substr(0, std::min(user_agent.find(' '), kMaxClient));
}

std::string example_of(std::string_view method, std::string_view target) {
  return std::string(method).append(" ").append(without_signature(target.substr(0, kMaxExample)));
}

std::string_view test_of(std::string_view client_request_id) {
  const std::size_t slash = find_last(client_request_id, '/');
  if (slash == client_request_id.npos) return {};
  return client_request_id.substr(0, std::min(slash, kMaxTest));
}

}  // namespace rocktable
