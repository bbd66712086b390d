// Parses one HTTP request with Beast, into buffers that the connection's next request uses again. (Beast's own messages
// allocate each field and keep them in a tree, which costs more than parsing.)
#pragma once

// Beast (at least up to 1.81) asserts that the buffer never ends after "0\r\n\r", four bytes of an empty last chunk.
// The client decides where the buffer ends, and the code after the assertion does not need it.
#define BOOST_DISABLE_ASSERTS
#include <boost/beast/http/basic_parser.hpp>
#undef BOOST_DISABLE_ASSERTS
#include <boost/assert.hpp>  // enables assertions again: this header can be included repeatedly
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/request/request.h"

namespace rocktable {

// The parts of a request. Offsets instead of views, because the text may move while it grows.
struct RequestBuffers {
  struct Field {
    std::uint32_t name, name_end, value, end;  // in `head`
  };

  std::string head;  // method, target, and `NAME: VALUE\r` of each field, concatenated (Request::head)
  std::size_t method_end = 0, target_end = 0;
  std::vector<Field> fields;
  std::string body;

  // Empties the buffers, and releases the memory of a large request.
  void clear();

  // Releases all memory.
  void release();
  std::size_t capacity() const { return head.capacity() + fields.capacity() * sizeof(Field) + body.capacity(); }
};

// Trailers (the fields after the last chunk) are read, limited, and dropped. They come after the request's head is
// accepted, so they must not change headers, method, body, or keep-alive.
// Source: RFC 9110, section 6.5.1.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  // Clears the buffers, which must outlive the parser.
  explicit RequestParser(RequestBuffers& buffers) : buffers_(buffers) { buffers_.clear(); }

  // After the header: why the framing is ambiguous, so that the beginning of the next request is unknown.
  //
  //   bad_content_length     Content-Length is a list, or there are two
  //   bad_transfer_encoding  Transfer-Encoding in HTTP/1.0, twice, or not ending in `chunked`
  //   errc::not_supported    another coding below `chunked`, which would have to be decoded
  //
  // Source: RFC 9112, sections 6.1 and 6.3.
  boost::system::error_code framing_error() const { return framing_error_; }

  // After the header: whether the client waits for 100 Continue before it sends the body, and whether it may send
  // another request (as basic_parser::keep_alive, but without the effect of trailers).
  bool expects_continue() const { return expects_continue_; }
  bool keep_alive() const { return keep_alive_; }

  bool is_http_1_0() const { return version_ < 11; }
  // The missing bytes of a body whose length is known.
  std::uint64_t announced_bytes() const { return content_length_remaining().value_or(0); }
  std::size_t body_bytes() const { return body_bytes_; }

  // After the header: reads the body without keeping it.
  void drop_body();
  bool drops_body() const { return drops_body_; }

  // After the message: sets method, target, headers and body as views of the buffers.
  void view(Request& request) const;

 private:
  using Text = boost::beast::string_view;
  using ErrorCode = boost::beast::error_code;

  void on_request_impl(boost::beast::http::verb, Text method, Text target, int version, ErrorCode&) override;
  void on_field_impl(boost::beast::http::field field, Text name, Text value, ErrorCode& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& content_length, ErrorCode&) override;
  std::size_t on_body_impl(Text bytes, ErrorCode&) override { return keep(bytes); }
  std::size_t on_chunk_body_impl(std::uint64_t, Text bytes, ErrorCode&) override { return keep(bytes); }

  void on_response_impl(int, Text, int, ErrorCode&) override {}
  void on_header_impl(ErrorCode&) override;
  void on_chunk_header_impl(std::uint64_t, Text, ErrorCode&) override {}
  void on_finish_impl(ErrorCode&) override {}

  void check_framing(boost::beast::http::field field, Text value);
  void keep_field(Text name, Text value);
  std::size_t keep(Text bytes);

  RequestBuffers& buffers_;
  std::size_t body_bytes_ = 0;
  bool drops_body_ = false;
  int version_ = 11;
  bool has_content_length_ = false;
  bool has_transfer_encoding_ = false;
  boost::system::error_code framing_error_;
  bool header_is_done_ = false;
  bool keep_alive_ = false;
  bool expects_continue_ = false;
};

}  // namespace rocktable
