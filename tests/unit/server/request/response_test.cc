// The bytes of an answer: status line, fields, framing by length and in chunks.
#include "server/request/response.h"

#include <doctest/doctest.h>

#include <string>

namespace rocktable::TEST_FILE {
namespace {

// What the client reads.
std::string wire(const Response& response, const ResponseOptions& options = {}) {
  std::string out;
  append_response_head(out, response, options);
  if (response.sends_body) out += response.body;
  return out.append(response_tail(response, options));
}

Response answer(int status, Response::Framing framing, std::string body) {
  Response response;
  response.status = status;
  response.framing = framing;
  response.body = std::move(body);
  return response;
}

constexpr auto kLength = Response::Framing::Length;
constexpr auto kChunked = Response::Framing::Chunked;

TEST_CASE("An answer without body has a length of 0") {
  CHECK(wire(answer(204, kLength, "")) == "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("Fields stand in the order they were added, framing behind them") {
  Response response = answer(200, kLength, "body");
  response.add("ETag", "W/\"x\"");
  response.add("x-ms-version", "2019-02-02");
  CHECK(wire(response) ==
        "HTTP/1.1 200 OK\r\nETag: W/\"x\"\r\nx-ms-version: 2019-02-02\r\nContent-Length: 4\r\n\r\nbody");
}

TEST_CASE("A chunked body is one chunk, its size in hex; an empty one is the last chunk alone") {
  CHECK(wire(answer(200, kChunked, "{}")) ==
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
  CHECK(wire(answer(200, kChunked, std::string(27, 'x'))) ==
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1b\r\n" + std::string(27, 'x') + "\r\n0\r\n\r\n");
  CHECK(wire(answer(202, kChunked, "")) == "HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
}

TEST_CASE("HTTP/1.0 knows no chunks: the same answer by length") {
  const ResponseOptions old{.keep_alive = false, .http_1_0 = true};
  CHECK(wire(answer(200, kChunked, "{}"), old) ==
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
  CHECK(wire(answer(202, kChunked, ""), old) ==
        "HTTP/1.0 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

// HTTP/1.1 goes on unless somebody says close, HTTP/1.0 ends unless somebody says keep-alive.
TEST_CASE("Connection is said where it differs from the version's habit, and where it ends") {
  const Response response = answer(200, kLength, "");
  CHECK(wire(response, {.keep_alive = true}) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  CHECK(wire(response, {.keep_alive = false}) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  CHECK(wire(response, {.keep_alive = true, .http_1_0 = true}) ==
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
}

TEST_CASE("The answer to a HEAD has the headers of the answer to a GET, and nothing behind them") {
  Response response = answer(200, kLength, "body");
  response.sends_body = false;
  CHECK(wire(response) == "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
  response.framing = kChunked;
  CHECK(wire(response) == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST_CASE("A reason of its own takes the place of the standard phrase") {
  Response response = answer(400, kLength, "");
  response.reason = "XML specified is not syntactically valid.";
  CHECK(wire(response) == "HTTP/1.1 400 XML specified is not syntactically valid.\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("Every status in use has its phrase") {
  const struct {
    int status;
    std::string_view phrase;
  } cases[] = {
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {409, "Conflict"},
      {412, "Precondition Failed"},
      {413, "Request Entity Too Large"},
      {415, "Unsupported Media Type"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {599, "Unknown"},
  };
  for (const auto& c : cases) CHECK(reason_phrase(c.status) == c.phrase);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
