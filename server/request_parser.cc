#include "server/request_parser.h"

#include "odata/text.h"

namespace rocktable {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kMaxFieldBytes = 65'533;  // of a name or value; the service refuses far shorter ones
constexpr std::size_t kKeptBytes = 64 << 10;    // of an idle connection

}  // namespace

void RequestBuffers::clear() {
  head.clear();
  fields.clear();
  body.clear();
  if (capacity() > kKeptBytes) release();
}

void RequestBuffers::release() {
  std::string().swap(head);  // an assignment would keep the memory
  std::vector<Field>().swap(fields);
  std::string().swap(body);
}

void RequestParser::view(Request& request) const {
  const std::string_view head = buffers_.head;
  request.method = head.substr(0, buffers_.method_end);
  request.target = head.substr(buffers_.method_end, buffers_.target_end - buffers_.method_end);
  request.headers.clear();
  for (const auto& field : buffers_.fields)
    request.headers.add(head.substr(field.name, field.value - field.name),
                        head.substr(field.value, field.end - field.value));
  request.body = &buffers_.body;
}

void RequestParser::on_request_impl(http::verb, Text method, Text target, int version, ErrorCode&) {
  version_ = version;
  buffers_.head.append(method.data(), method.size());
  buffers_.method_end = buffers_.head.size();
  buffers_.head.append(target.data(), target.size());
  buffers_.target_end = buffers_.head.size();
}

void RequestParser::on_field_impl(http::field field, Text name, Text value, ErrorCode& error) {
  if (name.size() > kMaxFieldBytes || value.size() > kMaxFieldBytes) {
    error = http::error::header_limit;
    return;
  }
  if (field == http::field::content_length && !has_content_length_) ++framings_;
  if (field == http::field::transfer_encoding) ++framings_;
  has_content_length_ |= field == http::field::content_length;
  has_transfer_encoding_ |= field == http::field::transfer_encoding;
  if (field == http::field::expect) expects_continue_ |= equals_ignoring_case(value, "100-continue");

  std::string& head = buffers_.head;
  const std::size_t start = head.size();
  head.append(name.data(), name.size());
  head.append(value.data(), value.size());
  buffers_.fields.push_back({start, start + name.size(), head.size()});
}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& content_length, ErrorCode&) {
  if (content_length && !drops_body_) buffers_.body.reserve(*content_length);  // within the limit of bodies
}

void RequestParser::drop_body() {
  drops_body_ = true;
  std::string().swap(buffers_.body);
}

std::size_t RequestParser::keep(Text bytes) {
  body_bytes_ += bytes.size();
  if (!drops_body_) buffers_.body.append(bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace rocktable
