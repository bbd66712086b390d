#include "server/http/request_parser.h"

#include <boost/beast/http/error.hpp>
#include <utility>

#include "base/text.h"

namespace rocktable {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kMaxFields = 2'000;       // each takes up to 100 bytes of memory, and 4 of the head
constexpr std::size_t kMaxFieldBytes = 65'533;  // of a name or value; the service refuses far shorter ones
constexpr std::size_t kKeptBytes = 64 << 10;    // of an idle connection

// Only `chunked` is supported, once and last.
boost::system::error_code error_of_coding(std::string_view codings) {
  if (equals_ignoring_case(trim(codings), "chunked")) return {};
  const auto comma = codings.rfind(',');
  const std::string_view below = codings.substr(0, comma == codings.npos ? 0 : comma);
  const bool is_chunked = comma != codings.npos && equals_ignoring_case(trim(codings.substr(comma + 1)), "chunked");
  if (!is_chunked || to_lower_ascii(below).find("chunked") != std::string::npos)
    return http::error::bad_transfer_encoding;
  return boost::system::errc::make_error_code(boost::system::errc::not_supported);
}

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
  request.method = {head.data(), buffers_.method_end};
  request.target = {head.data() + buffers_.method_end, buffers_.target_end - buffers_.method_end};
  request.head = head;
  request.headers.clear();
  const char* const begin = head.data();
  for (const auto& field : buffers_.fields)
    request.headers.add({begin + field.name, field.name_end - field.name},
                        {begin + field.value, field.end - field.value});
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
  if (header_is_done_) return;  // a trailer
  if (buffers_.fields.size() == kMaxFields) {
    error = http::error::header_limit;
    return;
  }
  check_framing(field, value);
  if (field == http::field::expect) expects_continue_ |= equals_ignoring_case(value, "100-continue");

  keep_field(name, value);
}

// In the buffer the value follows its name, and a line break follows the value, unless it was folded or has blanks at
// its end: then all is copied as one, which costs less.
void RequestParser::keep_field(Text name, Text value) {
  constexpr std::uintptr_t kMaxGap = 64;  // of a colon and blanks
  std::string& head = buffers_.head;
  const std::size_t start = head.size();
  std::size_t gap = reinterpret_cast<std::uintptr_t>(value.data()) - reinterpret_cast<std::uintptr_t>(name.end());
  if (gap - 1 < kMaxGap && *value.end() == '\r') {
    head.append(name.data(), name.size() + gap + value.size() + 1);
  } else {
    gap = 2;
    head.append(name.data(), name.size()).append(": ").append(value.data(), value.size()) += '\r';
  }
  const auto name_at = static_cast<std::uint32_t>(start);  // heads are limited
  const auto name_end = static_cast<std::uint32_t>(start + name.size());
  const auto value_at = static_cast<std::uint32_t>(name_end + gap);
  buffers_.fields.push_back({name_at, name_end, value_at, static_cast<std::uint32_t>(value_at + value.size())});
}

// Beast itself refuses Content-Length beside Transfer-Encoding, and a Content-Length that is not a number.
void RequestParser::check_framing(http::field field, Text value) {
  if (field == http::field::content_length) {
    if (std::exchange(has_content_length_, true) || value.find(',') != value.npos)
      framing_error_ = http::error::bad_content_length;
  } else if (field == http::field::transfer_encoding) {
    framing_error_ = std::exchange(has_transfer_encoding_, true) || version_ < 11
                         ? http::error::bad_transfer_encoding
                         : error_of_coding({value.data(), value.size()});
  }
}

void RequestParser::on_header_impl(ErrorCode&) {
  header_is_done_ = true;
  keep_alive_ = basic_parser::keep_alive();
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
