// Who may load the pages of the explorer, and what they may do in a browser.
#include "server/explorer/explorer_pages.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "server/explorer/embedded_files.h"

namespace rocktable::TEST_FILE {
namespace {

using boost::asio::ip::make_address;
using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

const ControlPolicy kLocal{{make_address("127.0.0.1")}, "", ""};
const ControlPolicy kOpen{{make_address("0.0.0.0")}, "", ""};
const ControlPolicy kOpenWithToken{{make_address("0.0.0.0")}, "", "secret"};

Response get(const ControlPolicy& policy, std::string_view target, const Fields& fields,
             std::string_view method = "GET", bool is_on = true) {
  Headers headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  return explorer_response(policy, is_on, method, target, headers);
}

int status_of(const ControlPolicy& policy, const Fields& fields) { return get(policy, "/_rocktable/", fields).status; }

TEST_CASE("only the page and its parts are the explorer") {
  for (const char* target :
       {"/_rocktable", "/_rocktable/", "/_rocktable/?x", "/_rocktable?x", "/_rocktable/explorer/main.js"})
    CHECK(is_explorer_target(target));
  for (const char* target : {"/_rocktable/stats", "/_rocktablex", "/", "/_rocktable/explorerx"})
    CHECK_FALSE(is_explorer_target(target));
}

TEST_CASE("a page of this machine loads it") {
  CHECK(status_of(kLocal, {{"Host", "127.0.0.1:10002"}}) == 200);
  CHECK(status_of(kLocal, {{"Host", "localhost:10002"}, {"Sec-Fetch-Site", "same-origin"}}) == 200);
  CHECK(status_of(kOpenWithToken, {{"Host", "tables.example:10002"}}) == 200);
}

TEST_CASE("a link of another page may lead to it, but no page may read or frame it") {
  const Fields link{{"Host", "127.0.0.1"},
                    {"Sec-Fetch-Site", "cross-site"},
                    {"Sec-Fetch-Mode", "navigate"},
                    {"Sec-Fetch-Dest", "document"}};
  CHECK(status_of(kLocal, link) == 200);
  for (const auto& [mode, destination] :
       {std::pair("navigate", "iframe"), {"cors", "empty"}, {"no-cors", "script"}, {"navigate", "object"}})
    CHECK(status_of(kLocal, {{"Host", "127.0.0.1"},
                             {"Sec-Fetch-Site", "cross-site"},
                             {"Sec-Fetch-Mode", mode},
                             {"Sec-Fetch-Dest", destination}}) == 403);
  CHECK(status_of(kLocal, {{"Host", "127.0.0.1"}, {"Origin", "http://evil.example"}}) == 403);
}

TEST_CASE("a name that was rebound to this machine does not load it") {
  CHECK(status_of(kLocal, {{"Host", "evil.example:10002"}}) == 403);
  CHECK(status_of(kLocal, {}) == 403);
}

TEST_CASE("a server that others can reach says that it needs a token") {
  const Response answer = get(kOpen, "/_rocktable/", {{"Host", "127.0.0.1"}});
  CHECK(answer.status == 403);
  CHECK(answer.body.find("--controlToken") != std::string::npos);
}

TEST_CASE("it can be switched off") {
  const Response answer = get(kLocal, "/_rocktable/", {{"Host", "127.0.0.1"}}, "GET", false);
  CHECK(answer.status == 404);
  CHECK(answer.body.find("--noExplorer") != std::string::npos);
}

TEST_CASE("each file has its type, and changes with its content") {
  for (const EmbeddedFile& file : embedded_files()) {
    CAPTURE(file.path);
    const bool is_page = file.path == "index.html";
    const std::string target = is_page ? "/_rocktable/" : "/_rocktable/explorer/" + std::string(file.path);
    const Response answer = get(kLocal, target, {{"Host", "127.0.0.1"}});
    CHECK(answer.status == 200);
    CHECK(answer.body == file.content);
    CHECK(answer.fields.find("ETag: " + std::string(file.etag)) != std::string::npos);
    CHECK(answer.fields.find("Content-Security-Policy: default-src 'self'") != std::string::npos);
    const Response again = get(kLocal, target, {{"Host", "127.0.0.1"}, {"If-None-Match", file.etag}});
    CHECK(again.status == 304);
    CHECK(again.body.empty());
  }
}

TEST_CASE("all files together have at most 70 KB, packed") {
  const EmbeddedArchive archive = embedded_archive();
  CHECK(archive.packed.size() <= 70'000);
  std::size_t bytes = 0;
  for (const EmbeddedFile& file : embedded_files()) bytes += file.content.size();
  CHECK(bytes == archive.bytes);
  CHECK(bytes > archive.packed.size());
}

TEST_CASE("other methods and paths are refused") {
  const Fields own{{"Host", "127.0.0.1"}};
  CHECK(get(kLocal, "/_rocktable/", own, "POST").status == 405);
  CHECK(get(kLocal, "/_rocktable/explorer/nothing.js", own).status == 404);
  CHECK(get(kLocal, "/_rocktable/explorer/../main.js", own).status == 404);
  CHECK(get(kLocal, "/_rocktable/explorer/index.html", own).status == 200);
  CHECK(get(kLocal, "/_rocktable", own).status == 308);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
