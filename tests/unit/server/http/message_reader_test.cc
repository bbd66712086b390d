// What the reader of requests needs, byte by byte, and why a request is refused.
#include "server/http/message_reader.h"

#include <doctest/doctest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>
#include <string>
#include <string_view>

#include "server/limits/memory_budget.h"

namespace rocktable::TEST_FILE {
namespace {

namespace http = boost::beast::http;
using Part = MessageReader::Part;
using Need = MessageReader::Need;

// A reader, and the client that feeds it.
struct Fed {
  RequestBuffers received;
  boost::beast::flat_buffer buffer{kMaxHeaderBytes + kMaxReadBytes};
  MessageReader reader{received, buffer};

  void send(std::string_view bytes) {
    const auto room = buffer.prepare(bytes.size());
    boost::asio::buffer_copy(room, boost::asio::buffer(bytes));
    reader.commit(bytes.size(), {});
  }
};

TEST_CASE("a request is complete once its last byte has come, however it is cut") {
  const std::string request = "PUT /a/t HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc";
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    CAPTURE(cut);
    Fed fed;
    fed.send(request.substr(0, cut));
    const Need need = fed.reader.advance(Part::Whole, false);
    CHECK(need == Need::Bytes);
    CHECK_FALSE(fed.reader.parser().is_done());
    fed.send(request.substr(cut));
    CHECK(fed.reader.advance(Part::Whole, false) == Need::Nothing);
    CHECK_FALSE(fed.reader.error());
    CHECK(fed.received.body == "abc");
    CHECK(fed.buffer.size() == 0);
  }
}

TEST_CASE("the head is complete before the body, and what follows stays in the buffer") {
  Fed fed;
  fed.send("POST /a/t HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET /next");
  CHECK(fed.reader.advance(Part::Head, false) == Need::Nothing);
  CHECK(fed.received.body.empty());
  CHECK(fed.reader.advance(Part::Whole, false) == Need::Nothing);
  CHECK(fed.received.body == "abc");
  CHECK(fed.buffer.size() == std::string_view("GET /next").size());
}

TEST_CASE("a large head and a large chunked body need a share of the memory; a body that is dropped does not") {
  const std::string large(kFreeBytes + 1, 'x');
  Fed head;
  head.send("GET /a?" + large);
  CHECK(head.reader.advance(Part::Head, false) == Need::Room);
  CHECK(head.reader.advance(Part::Head, true) == Need::Bytes);

  const std::string start = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n" + large;
  Fed body;
  body.send(start);
  CHECK(body.reader.advance(Part::Head, false) == Need::Nothing);
  CHECK(body.reader.advance(Part::Whole, false) == Need::Room);
  CHECK(body.reader.advance(Part::Whole, true) == Need::Bytes);

  Fed dropped;
  dropped.send(start);
  CHECK(dropped.reader.advance(Part::Head, false) == Need::Nothing);
  dropped.reader.parser().drop_body();
  CHECK(dropped.reader.advance(Part::Whole, false) == Need::Bytes);
}

TEST_CASE("without a share little is read at a time; with one as much as is announced") {
  Fed fed;
  fed.send("PUT /a HTTP/1.1\r\nContent-Length: 60000\r\n\r\n");
  CHECK(fed.reader.advance(Part::Head, false) == Need::Nothing);
  CHECK(fed.reader.prepare(Part::Whole, false).size() <= kFreeBytes);
  CHECK(fed.reader.prepare(Part::Whole, true).size() == 60'000);
}

TEST_CASE("a client that goes away ends a request; only within one the request was cut short") {
  Fed silent;
  silent.reader.commit(0, boost::asio::error::eof);
  CHECK(silent.reader.error() == http::error::end_of_stream);
  CHECK_FALSE(refusal_of(silent.reader.error(), silent.buffer).has_value());

  Fed cut;
  cut.send("GET /a HT");
  CHECK(cut.reader.advance(Part::Head, false) == Need::Bytes);
  cut.reader.commit(0, boost::asio::error::eof);
  CHECK(cut.reader.error() == http::error::partial_message);
  CHECK_FALSE(refusal_of(cut.reader.error(), cut.buffer).has_value());
}

TEST_CASE("what cannot be read is refused with the service's code") {
  const struct {
    std::string_view bytes;
    ErrorCode code;
  } cases[] = {
      {"GET / HTTP/1.1\r\nbroken\r\n\r\n", ErrorCode::InvalidHeaderValue},
      {"\x16\x03\x01 a handshake of TLS", ErrorCode::InvalidInput},
      {"PUT / HTTP/1.1\r\nContent-Length: 5000000\r\n\r\n", ErrorCode::RequestBodyTooLarge},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", ErrorCode::NotImplemented},
      {"PUT / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", ErrorCode::InvalidHeaderValue},
  };
  for (const auto& c : cases) {
    CAPTURE(c.bytes);
    Fed fed;
    fed.send(c.bytes);
    CHECK(fed.reader.advance(Part::Head, false) == Need::Nothing);
    if (!fed.reader.error()) fed.reader.check_framing();
    const auto refusal = refusal_of(fed.reader.error(), fed.buffer);
    REQUIRE(refusal.has_value());
    CHECK(refusal->code == c.code);
  }
}

TEST_CASE("an endless chunk header is refused once the buffer is full") {
  Fed fed;
  fed.send("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(fed.reader.advance(Part::Head, false) == Need::Nothing);
  fed.send("1;" + std::string(kMaxHeaderBytes + kMaxReadBytes - 2, 'x'));
  CHECK(fed.reader.advance(Part::Whole, true) == Need::Nothing);
  CHECK(fed.reader.error() == http::error::header_limit);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
