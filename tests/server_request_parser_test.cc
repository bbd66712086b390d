// Requests as they come in: whole, in pieces, one behind the other in the same memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <string>
#include <string_view>

#include "server/request_parser.h"

namespace rocktable {
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
  for (const auto& [name, value] : request.headers.all())
    out.append(name).append("=").append(value).append("\n");
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

TEST_CASE("a request reads the same in pieces of any size, trailers among its headers") {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, kChunked.size()}) {
    CAPTURE(piece);
    RequestBuffers buffers;
    RequestParser parser(buffers);
    CHECK(!feed(parser, kChunked, piece));
    CHECK(told(parser) ==
          "POST "
          "/acct/"
          "$batch?a=%20\nHost=h\nTransfer-Encoding=chunked\nX-Empty=\nx-twice=1\nX-Twice=2\nX-Trailer="
          "t\nabcde");
    CHECK(parser.body_bytes() == 5);
    CHECK_FALSE(parser.is_framed_strangely());
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
    CHECK(!feed(parser,
                "PUT / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body,
                65'536));
    CHECK(parser.body_bytes() == body.size());
  }
  CHECK(buffers.body.capacity() >= body.size());
  buffers.clear();
  CHECK(buffers.body.capacity() < 1000);
}

TEST_CASE("how the body is framed and asked for shows in the header") {
  struct {
    std::string_view fields;
    bool strange, expects;
  } cases[] = {
      {"", false, false},
      {"Content-Length: 1\r\n", false, false},
      {"Content-Length: 1\r\nContent-Length: 1\r\n", false, false},
      {"Transfer-Encoding: chunked\r\n", false, false},
      {"Transfer-Encoding: gzip\r\n", true, false},
      {"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", true, false},
      {"Content-Length: 1\r\nExpect: 100-Continue\r\n", false, true},
      {"Content-Length: 1\r\nExpect: something\r\n", false, false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.fields);
    RequestBuffers buffers;
    RequestParser parser(buffers);
    parser.eager(false);
    boost::system::error_code error;
    const std::string bytes = "POST / HTTP/1.1\r\n" + std::string(c.fields) + "\r\n";
    parser.put(boost::asio::buffer(bytes), error);
    CHECK(!error);
    CHECK(parser.is_header_done());
    CHECK(parser.is_framed_strangely() == c.strange);
    CHECK(parser.expects_continue() == c.expects);
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

}  // namespace
}  // namespace rocktable
