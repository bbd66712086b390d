#include "client/http_url.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {

TEST_CASE("a URL is parsed, and its Host header has the brackets and port that it needs") {
  struct {
    std::string_view text;
    HttpUrl url;
    std::string_view origin;
  } cases[] = {
      {"http://localhost", {false, "localhost", 80, "", ""}, "http://localhost"},
      {"HTTPS://a.example/x?y=1#z", {true, "a.example", 443, "/x", "y=1"}, "https://a.example"},
      {"http://127.0.0.1:10002/devstoreaccount1",
       {false, "127.0.0.1", 10002, "/devstoreaccount1", ""},
       "http://127.0.0.1:10002"},
      {"https://h:443?a=/b", {true, "h", 443, "", "a=/b"}, "https://h"},
      {"http://[::1]:8080/", {false, "::1", 8080, "/", ""}, "http://[::1]:8080"},
      {"http://h:/", {false, "h", 80, "/", ""}, "http://h"},
      {"http://my_host/a%20b?sig=a|b&x=\"", {false, "my_host", 80, "/a%20b", "sig=a|b&x=\""}, "http://my_host"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const HttpUrl url = parse_http_url(c.text);
    CHECK(url == c.url);
    CHECK(url.origin() == c.origin);
  }
}

TEST_CASE("the error for an invalid URL does not contain its query") {
  for (const std::string_view text :
       {"", "localhost:10002", "ftp://h/", "http://", "http:///x", "http://:80", "http://h:0", "http://h:65536",
        "http://h:99999", "http://h:8x", "http://[::1", "http://[::1]x", "http://u:secret@h/", "http://u:secret^@h/",
        "http://h/a b", "http://h/\n", "file://h?sig=secret"}) {
    CAPTURE(text);
    try {
      parse_http_url(text);
      FAIL("no exception");
    } catch (const UrlError& error) {
      CHECK(std::string_view(error.what()).find("secret") == std::string_view::npos);
    }
  }
}

}  // namespace rocktable::TEST_FILE
