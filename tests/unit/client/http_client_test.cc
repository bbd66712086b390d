#include "client/http_client.h"

#include <doctest/doctest.h>

#include <optional>

#include "tests/unit/client/scripted_server.h"

namespace rocktable::TEST_FILE {
namespace {

const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-One: 1\r\n\r\nok";

// Returns the kind of failure of one request; nullopt if it succeeds.
std::optional<HttpError::Kind> failure_of(const HttpUrl& url, HttpOptions options = {}) {
  try {
    HttpClient(url, std::move(options)).send({});
  } catch (const HttpError& error) {
    CAPTURE(error.what());
    CHECK(std::string_view(error.what()).starts_with(url.origin()));
    return error.kind();
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a client sends several requests over one connection") {
  ScriptedServer server({{kOk}, {"HTTP/1.1 204 No Content\r\n\r\n"}, {kOk}});
  HttpClient client(server.url());
  HttpRequest request{"POST", "/a?b=c", {}, "body"};
  request.headers.add("X-Test", "yes");
  const HttpResponse first = client.send(request);
  CHECK(first.status == 200);
  CHECK(first.headers.get("x-one") == "1");
  CHECK(first.body == "ok");
  CHECK(client.send({}).status == 204);
  CHECK(client.send({}).body == "ok");
  CHECK(server.connections() == 1);
  REQUIRE(server.requests().size() == 3);
  const std::string& sent = server.requests()[0];
  CHECK(sent.starts_with("POST /a?b=c HTTP/1.1\r\n"));
  CHECK(sent.ends_with("\r\n\r\nbody"));
  for (const std::string field : {"Content-Length: 4\r\n", "X-Test: yes\r\n", "User-Agent: rocktable\r\n"})
    CHECK(sent.find(field) != std::string::npos);
  CHECK(sent.find("Host: " + server.url().authority() + "\r\n") != std::string::npos);
}

TEST_CASE("a request is sent again on a new connection if the server closed the kept-alive one") {
  ScriptedServer server({{kOk, true}, {kOk}});
  HttpClient client(server.url());
  CHECK(client.send({}).status == 200);
  CHECK(client.send({}).status == 200);
  CHECK(server.connections() == 2);
}

TEST_CASE("a client opens a new connection after a response that closed the last one") {
  ScriptedServer server({{"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", true}, {kOk}});
  HttpClient client(server.url());
  CHECK(client.send({}).status == 200);
  CHECK(client.send({}).body == "ok");
}

TEST_CASE("a long body is received whole, whichever way its end is told") {
  const std::string body(300'000, 'b'), head = "HTTP/1.1 200 OK\r\n";
  const std::string chunk = "249f0\r\n" + body.substr(150'000) + "\r\n";  // 150,000 bytes
  ScriptedServer server({{head + "Content-Length: 300000\r\n\r\n" + body},
                         {head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk + "0\r\n\r\n"},
                         {head + "\r\n" + body, true}});
  HttpClient client(server.url());
  for (int i = 0; i < 3; ++i) CHECK(client.send({}).body == body);
  CHECK(server.connections() == 1);
}

TEST_CASE("a long body is sent whole") {
  ScriptedServer server({{kOk}});
  const std::string body(5'000'000, 'b');
  CHECK(HttpClient(server.url()).send({"PUT", "/", {}, body}).body == "ok");
  CHECK(server.requests()[0].ends_with("\r\n\r\n" + body));
}

TEST_CASE("the kind of an HttpError says why there is no response") {
  using Kind = HttpError::Kind;
  SUBCASE("a new connection is closed without an answer: not sent again") {
    ScriptedServer server({{""}, {kOk}});
    CHECK(failure_of(server.url()) == Kind::Dropped);
  }
  SUBCASE("half an answer") {
    ScriptedServer server({{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", true}});
    CHECK(failure_of(server.url()) == Kind::Dropped);
  }
  SUBCASE("something else than HTTP") {
    ScriptedServer server({{"SSH-2.0-OpenSSH\r\n\r\n", true}});
    CHECK(failure_of(server.url()) == Kind::Malformed);
  }
  SUBCASE("a larger answer than is taken") {
    ScriptedServer server({{"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", true}});
    CHECK(failure_of(server.url(), {.max_body_bytes = 999}) == Kind::Malformed);
  }
  SUBCASE("no answer in time") {
    ScriptedServer server({{"", false, true}});
    CHECK(failure_of(server.url(), {.answer_timeout = std::chrono::milliseconds(50)}) == Kind::TimedOut);
  }
  SUBCASE("half an answer in time") {
    ScriptedServer server({{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"}, {"", false, true}});
    CHECK(failure_of(server.url(), {.answer_timeout = std::chrono::milliseconds(50)}) == Kind::TimedOut);
  }
  SUBCASE("nobody listens at an address, or at any of a name") {
    HttpUrl url;
    {
      ScriptedServer server({});
      url = server.url();
    }
    CHECK(failure_of(url) == Kind::Unreachable);
    url.host = "localhost";
    CHECK(failure_of(url) == Kind::Unreachable);
  }
  SUBCASE("no such host") { CHECK(failure_of({false, "nowhere.invalid", 80, "", ""}) == Kind::Unreachable); }
  SUBCASE("TLS to who speaks none") {
    ScriptedServer server({{"HTTP/1.1 400 Bad Request\r\n\r\n"}});
    HttpUrl url = server.url();
    url.secure = true;
    const auto kind = failure_of(url, {.connect_timeout = std::chrono::milliseconds(200)});
    CHECK((kind == Kind::Untrusted || kind == Kind::Unreachable));
  }
}

TEST_CASE("a server that requires HTTPS is distinguished from one that does not speak HTTP") {
  const auto sentence_of = [](const std::string& answer) -> std::string {
    ScriptedServer server({{answer, true}});
    try {
      HttpClient(server.url()).send({});
    } catch (const HttpError& error) {
      return std::string(error.what()).substr(server.url().origin().size());
    }
    return "";
  };
  const std::string head = "HTTP/1.1 400 Bad Request\r\nContent-Length: ";
  for (const std::string body :
       {"<Code>AccountRequiresHttps</Code>", "You're speaking plain HTTP to an SSL-enabled port"})
    CHECK(sentence_of(head + std::to_string(body.size()) + "\r\n\r\n" + body) == " speaks HTTPS: use https://");
  CHECK(sentence_of("\x15\x03\x03\x01") == " speaks HTTPS: use https://");
  CHECK(sentence_of("\x15\x15") != " speaks HTTPS: use https://");
  CHECK(sentence_of(head + "1\r\n\r\nx").empty());  // a response like others
}

TEST_CASE("the error for an unreadable certificate file contains its name") {
  try {
    HttpClient({true, "h", 443, "", ""}, {.certificate_authority_file = "/nowhere/ca.pem"});
    FAIL("no exception");
  } catch (const HttpError& error) {
    CHECK(std::string_view(error.what()).find("/nowhere/ca.pem") != std::string_view::npos);
  }
}

}  // namespace rocktable::TEST_FILE
