// Requests as they come in: whole, in pieces, one behind the other in the same memory.
#include "server/http/request_parser.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace rocktable::TEST_FILE {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kChunked =
    "POST /acct/$batch?a=%20 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX-Empty:\r\nx-twice: "
    "1\r\nX-Twice:  2 "
    "\r\n\r\n3\r\nabc\r\n2;e=1\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n";

// All that a request says, in a line each.
std::string told(const RequestParser& parser) {
  Request request;
  parser.view(request);
  std::string out = std::string(request.method) + " " + std::string(request.target) + "\n";
  for (const auto& [name, value] : request.headers.all()) out.append(name).append("=").append(value).append("\n");
  return out + *request.body;
}

// Feeds the parser as the connection does: what is not consumed comes again, with more behind it.
boost::system::error_code feed(RequestParser& parser, std::string_view bytes, std::size_t piece) {
  parser.eager(true);
  boost::system::error_code error;
  std::string unread;
  while (!parser.is_done() && !bytes.empty()) {
    unread += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    unread.erase(0, parser.put(boost::asio::buffer(unread), error));
    if (error && error != http::error::need_more) return error;
  }
  return parser.is_done() ? boost::system::error_code() : error;
}

TEST_CASE("a body that is dropped is counted, ends where it ends, and takes no memory") {
  RequestBuffers buffers;
  RequestParser parser(buffers);
  const std::string body(100'000, 'x');
  CHECK(!feed(parser, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n", 1000));
  CHECK(parser.is_header_done());
  parser.drop_body();
  CHECK(!feed(parser, body, 1000));
  CHECK(parser.is_done());
  CHECK(parser.body_bytes() == body.size());
  CHECK(told(parser) == "POST /a\nHost=h\nContent-Length=100000\n");
  CHECK(buffers.capacity() < 10'000);
}

TEST_CASE("released buffers hold no memory, and serve the next request") {
  RequestBuffers buffers;
  for (int round = 0; round < 2; ++round) {
    RequestParser parser(buffers);
    CHECK(!feed(parser, kChunked, kChunked.size()));
    CHECK(told(parser).ends_with("abcde"));
    buffers.release();
    CHECK(buffers.capacity() < 100);
  }
}

TEST_CASE("a request reads the same in pieces of any size, and its trailers are dropped") {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, kChunked.size()}) {
    CAPTURE(piece);
    RequestBuffers buffers;
    RequestParser parser(buffers);
    CHECK(!feed(parser, kChunked, piece));
    CHECK(told(parser) ==
          "POST "
          "/acct/"
          "$batch?a=%20\nHost=h\nTransfer-Encoding=chunked\nX-Empty=\nx-twice=1\nX-Twice=2\nabcde");
    CHECK(parser.body_bytes() == 5);
    CHECK(!parser.framing_error());
    CHECK_FALSE(parser.is_http_1_0());
  }
}

TEST_CASE("the next request finds nothing of the last one") {
  RequestBuffers buffers;
  {
    RequestParser parser(buffers);
    CHECK(!feed(parser, kChunked, 1000));
  }
  RequestParser parser(buffers);
  CHECK(!feed(parser, "GET / HTTP/1.0\r\nA: b\r\n\r\n", 1000));
  CHECK(told(parser) == "GET /\nA=b\n");
  CHECK(parser.is_http_1_0());
}

TEST_CASE("an idle connection keeps little of a large request") {
  const std::string body(1 << 20, 'x');
  RequestBuffers buffers;
  {
    RequestParser parser(buffers);
    CHECK(
        !feed(parser, "PUT / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body, 65'536));
    CHECK(parser.body_bytes() == body.size());
  }
  CHECK(buffers.body.capacity() >= body.size());
  buffers.clear();
  CHECK(buffers.body.capacity() < 1000);
}

// Source: RFC 9110, section 6.5.1. Each of these means something to somebody where it is a header.
TEST_CASE("a trailer changes neither method, headers nor body, nor whether the connection goes on") {
  const std::string head = "POST /t HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n";
  for (const std::string_view trailer :
       {"X-HTTP-Method: DELETE", "If-Match: *", "Authorization: SharedKey a:b", "Host: other",
        "x-ms-date: Sat, 22 May 2021 23:05:14 GMT", "Expect: 100-continue", "Connection: close",
        "Connection: keep-alive", "Content-Type: text/plain", "Content-Encoding: gzip", "Upgrade: h2c"}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
      CAPTURE(trailer);
      CAPTURE(piece);
      RequestBuffers buffers;
      RequestParser parser(buffers);
      CHECK(!feed(parser, head + std::string(trailer) + "\r\n\r\n", piece));
      CHECK(told(parser) == "POST /t\nHost=h\nTransfer-Encoding=chunked\nabc");
      CHECK(parser.keep_alive());
      CHECK_FALSE(parser.expects_continue());
    }
  }
}

TEST_CASE("what would frame the body anew is refused as a trailer") {
  for (const std::string trailer : {"Content-Length: 1", "Transfer-Encoding: chunked"}) {
    CAPTURE(trailer);
    RequestBuffers buffers;
    RequestParser parser(buffers);
    const std::string bytes = "POST /t HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + trailer;
    CHECK(feed(parser, bytes + "\r\n\r\n", 1000));
    CHECK(!parser.is_done());
  }
}

// Source: RFC 9112, sections 6.1 and 6.3.
TEST_CASE("a body is framed by one Content-Length, or by chunked alone and not in HTTP/1.0") {
  const boost::system::error_code good, length = http::error::bad_content_length,
                                        coding = http::error::bad_transfer_encoding,
                                        unknown = make_error_code(boost::system::errc::not_supported);
  struct {
    std::string_view fields;
    boost::system::error_code error, error_in_1_0;
  } cases[] = {
      {"", good, good},
      {"Content-Length: 1\r\n", good, good},
      {"Content-Length: 1\r\nContent-Length: 1\r\n", length, length},
      {"Content-Length: 1, 1\r\n", length, length},
      {"Transfer-Encoding: chunked\r\n", good, coding},
      {"Transfer-Encoding: Chunked\r\n", good, coding},
      {"Transfer-Encoding: gzip\r\n", coding, coding},
      {"Transfer-Encoding: identity\r\n", coding, coding},
      {"Transfer-Encoding: xchunked\r\n", coding, coding},
      {"Transfer-Encoding: chunked, gzip\r\n", coding, coding},
      {"Transfer-Encoding: chunked;a=b\r\n", coding, coding},
      {"Transfer-Encoding: chunked, chunked\r\n", coding, coding},
      {"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", coding, coding},
      {"Transfer-Encoding: gzip, chunked\r\n", unknown, coding},
      {"Transfer-Encoding: identity,chunked\r\n", unknown, coding},
      {"Transfer-Encoding: br, gzip , CHUNKED\r\n", unknown, coding},
  };
  for (const auto& c : cases) {
    for (const bool old : {false, true}) {
      CAPTURE(c.fields);
      CAPTURE(old);
      RequestBuffers buffers;
      RequestParser parser(buffers);
      parser.eager(false);
      boost::system::error_code error;
      const std::string bytes =
          std::string("POST / HTTP/1.") + (old ? "0" : "1") + "\r\n" + std::string(c.fields) + "\r\n";
      parser.put(boost::asio::buffer(bytes), error);
      CHECK(!error);
      CHECK(parser.is_header_done());
      CHECK(parser.framing_error() == (old ? c.error_in_1_0 : c.error));
    }
  }
}

TEST_CASE("whether the client waits for a word before the body shows in the header") {
  for (const auto& [value, expects] : {std::pair{"100-Continue", true}, std::pair{"something", false}}) {
    RequestBuffers buffers;
    RequestParser parser(buffers);
    CHECK(!feed(parser, std::string("POST / HTTP/1.1\r\nContent-Length: 1\r\nExpect: ") + value + "\r\n\r\na", 1000));
    CHECK(parser.expects_continue() == expects);
  }
}

TEST_CASE("whether the connection goes on is what the header says, and by default the version") {
  struct {
    std::string_view version, field;
    bool goes_on;
  } cases[] = {
      {"1.1", "", true},
      {"1.1", "Connection: close\r\n", false},
      {"1.0", "", false},
      {"1.0", "Connection: keep-alive\r\n", true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.version);
    CAPTURE(c.field);
    RequestBuffers buffers;
    RequestParser parser(buffers);
    CHECK(!feed(parser, "GET / HTTP/" + std::string(c.version) + "\r\n" + std::string(c.field) + "\r\n", 1000));
    CHECK(parser.keep_alive() == c.goes_on);
  }
}

TEST_CASE("a name or value of 64 KiB is refused") {
  const std::string longest(65'533, 'a');
  for (const std::string& field : {longest + ": b", "a: " + longest}) {
    RequestBuffers buffers;
    RequestParser good(buffers);
    good.header_limit(256 << 10);
    CHECK(!feed(good, "GET / HTTP/1.1\r\n" + field + "\r\n\r\n", 1 << 20));
    RequestParser bad(buffers);
    bad.header_limit(256 << 10);
    const std::string longer = field.starts_with("a: ") ? field + "a" : "a" + field;
    CHECK(feed(bad, "GET / HTTP/1.1\r\n" + longer + "\r\n\r\n", 1 << 20) == http::error::header_limit);
  }
}

TEST_CASE("a request of more than 2,000 header fields is refused, however short they are") {
  for (const int count : {2'000, 2'001}) {
    CAPTURE(count);
    std::string text = "GET / HTTP/1.1\r\n";
    for (int i = 0; i < count; ++i) text += "a:\r\n";
    RequestBuffers buffers;
    RequestParser parser(buffers);
    parser.header_limit(256 << 10);
    const auto error = feed(parser, text + "\r\n", 1 << 20);
    CHECK(error == (count > 2'000 ? make_error_code(http::error::header_limit) : boost::system::error_code()));
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
