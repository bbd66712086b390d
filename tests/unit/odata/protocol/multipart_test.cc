// Multipart batches: what clients send and the service accepts, errors, and the bytes of a response.
#include "odata/protocol/multipart.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

constexpr std::string_view kContentType = "multipart/mixed; boundary=batch_1";
constexpr std::string_view kPart = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string change_set(std::string_view parts) {
  return "--batch_1\r\nContent-Type: multipart/mixed; boundary=set_1\r\n\r\n" + std::string(parts) +
         "--set_1--\r\n--batch_1--\r\n";
}

// Returns one part of a change set.
std::string write_part(std::string_view request) {
  return "--set_1\r\n" + std::string(kPart) + std::string(request) + "\r\n";
}

std::string query(std::string_view request) {
  return "--batch_1\r\n" + std::string(kPart) + std::string(request) + "\r\n--batch_1--\r\n";
}

const std::string kInsert = write_part(
    "POST https://acc.table.core.windows.net/t HTTP/1.1\r\nContent-ID: 1\r\nContent-Length: "
    "9\r\n\r\n{\"a\":\"b\"}");
const std::string kDelete =
    write_part("DELETE /t(PartitionKey='p',RowKey='r') HTTP/1.1\r\nIf-Match: *\r\nAccept: application/json\r\n\r\n");

// The result has views of the body, which must outlive it.
BatchRequest parsed(const std::string& body, std::string_view content_type = kContentType) {
  CAPTURE(body);
  const auto request = parse_batch(content_type, body);
  REQUIRE(request.has_value());
  return *request;
}

bool refused(const std::string& body, std::string_view content_type = kContentType) {
  const auto request = parse_batch(content_type, body);
  return request.has_error() && request.error() == Error(ErrorCode::InvalidInput);
}

// Whether the batch is a change set of which the part at `position`, and no other, cannot be read.
bool is_unreadable(const std::string& body, std::size_t position) {
  const auto request = parse_batch(kContentType, body);
  if (!request || !request->change_set) return false;
  for (std::size_t i = 0; i < request->parts.size(); ++i)
    if ((request->parts[i].head == nullptr) != (i == position)) return false;
  return position < request->parts.size();
}

void check_insert_and_delete(const std::string& body, std::string_view content_type = kContentType) {
  const BatchRequest batch = parsed(body, content_type);
  CHECK(batch.change_set);
  REQUIRE(batch.parts.size() == 2);
  const BatchPart& insert = batch.parts[0];
  CHECK(insert.head->method == "POST");
  CHECK(insert.head->target == "https://acc.table.core.windows.net/t");
  CHECK(insert.head->headers->get("content-id") == "1");
  CHECK(insert.head->headers->get("CONTENT-LENGTH") == "9");
  CHECK(insert.body == "{\"a\":\"b\"}");
  const BatchPart& remove = batch.parts[1];
  CHECK(remove.head->method == "DELETE");
  CHECK(remove.head->target == "/t(PartitionKey='p',RowKey='r')");
  CHECK(remove.head->headers->get("If-Match") == "*");
  CHECK(remove.head->headers->get("Accept") == "application/json");
  CHECK(remove.body == "");
}

TEST_CASE("A change set is read as its parts, in order") { check_insert_and_delete(change_set(kInsert + kDelete)); }

TEST_CASE("Adjacent parts with the same text before the body share a head, others do not") {
  const auto insert = [](std::string_view id, std::string_view body) {
    return write_part("POST /t HTTP/1.1\r\nContent-ID: " + std::string(id) + "\r\n\r\n" + std::string(body));
  };
  // The third part continues the line that ends the head of the second one, which has no body.
  const std::string body = change_set(insert("1", "{}") + insert("1", "[]") + insert("1", "") +
                                      write_part("POST /t HTTP/1.1\r\nContent-ID: 1\r\nA: b\r\n\r\n{}") +
                                      insert("12", "{}") + insert("1", "{}"));
  const BatchRequest batch = parsed(body);
  REQUIRE(batch.parts.size() == 6);
  CHECK(batch.parts[0].head == batch.parts[1].head);
  CHECK(batch.parts[1].body == "[]");
  CHECK(batch.parts[2].body == "");
  const std::string_view ids[] = {"1", "1", "1", "1", "12", "1"};
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(batch.parts[i].head->headers->get("Content-ID") == ids[i]);
    CHECK(batch.parts[i].head->headers->has("A") == (i == 3));
  }
}

TEST_CASE("Adjacent parts with the same headers and other targets share these headers") {
  const auto put = [](std::string_view row, std::string_view headers, std::string_view body) {
    return write_part("PUT /t(PartitionKey='p',RowKey='" + std::string(row) + "') HTTP/1.1\r\n" + std::string(headers) +
                      "\r\n" + std::string(body));
  };
  const std::string body =
      change_set(put("1", "A: 1\r\nB: 2\r\n", "{\"x\":1}") + put("2", "A: 1\r\nB: 2\r\n", "{\"x\":2}") +
                 put("3", "A: 1\r\n", "{\"x\":3}") + put("4", "A: 1\r\nB: 2\r\nC: 3\r\n", "{\"x\":4}"));
  const BatchRequest batch = parsed(body);
  REQUIRE(batch.parts.size() == 4);
  CHECK(batch.parts[0].head->headers == batch.parts[1].head->headers);
  std::string seen;
  for (const BatchPart& part : batch.parts)
    seen += std::string(part.head->target.substr(28, 1)) + std::to_string(part.head->headers->all().size()) +
            std::string(part.body) + " ";
  CHECK(seen == R"(12{"x":1} 22{"x":2} 31{"x":3} 43{"x":4} )");
}

TEST_CASE("A delimiter ends a part that begins as the part before and is shorter") {
  const std::string head = "POST /t HTTP/1.1\r\nA: 1\r\n\r\n";
  const std::string body = change_set(write_part(head + "{\"x\":1,\r\n\"y\":2}") + write_part(head + "{\"x\":1,") +
                                      write_part(head) + write_part(head + "3"));
  const BatchRequest batch = parsed(body);
  REQUIRE(batch.parts.size() == 4);
  CHECK(batch.parts[1].body == "{\"x\":1,");
  CHECK(batch.parts[2].body.empty());
  CHECK(batch.parts[3].body == "3");
}

// Recorded of the C++ library, with LF. The last delimiter of the batch is not final.
TEST_CASE("The last delimiter needs no final hyphens") {
  const std::string complete = change_set(kInsert + kDelete);
  for (const std::string_view end : {"--batch_1", "--batch_1\r\n", "--batch_1\n", "--batch_1 \r\n\r\n"}) {
    CAPTURE(end);
    check_insert_and_delete(replaced(complete, "--batch_1--\r\n", end));
    check_insert_and_delete(replaced(replaced(complete, "\r\n", "\n"), "--batch_1--\n", end));
  }
  check_insert_and_delete(replaced(complete, "--set_1--\r\n", "--set_1\r\n"));
  CHECK(refused(replaced(complete, "--batch_1--\r\n", "--batch_1\r\nmore")));
  CHECK(refused("--batch_1\r\n"));
}

// Recorded of the C++ library, without the final hyphens.
TEST_CASE("A delimiter may follow the JSON of a body in the same line") {
  const std::string insert = replaced(kInsert, "}\r\n", "}");
  check_insert_and_delete(change_set(insert + kDelete));
  check_insert_and_delete(replaced(change_set(insert + kDelete), "\r\n", "\n"));
  const std::string only = change_set(insert);
  REQUIRE(only.find("}--set_1--\r\n") != only.npos);
  CHECK(parsed(only).parts.at(0).body == "{\"a\":\"b\"}");
  CHECK(parsed(replaced(only, "--set_1--", "--set_1")).parts.at(0).body == "{\"a\":\"b\"}");
}

TEST_CASE("The text of a delimiter elsewhere in a line is none") {
  for (const std::string_view text :
       {R"({"a":"--set_1"})", R"({"a":"}--set_1","b":1})", "x--set_1", "{}--set_12", "{}-set_1"}) {
    CAPTURE(text);
    const std::string body = change_set(replaced(kInsert, R"({"a":"b"})", text) + kDelete);
    CHECK(parsed(body).parts.size() == 2);
    CHECK(parsed(body).parts.at(0).body == text);
  }
}

// Recorded: an empty part of the library for Python, and the glued headers of the C++ library.
TEST_CASE("Only the part of a change set that cannot be read has no head") {
  const std::string headers = "PATCH /t(PartitionKey='p',RowKey='r') HTTP/1.1\r\nContent-Type: application/json\r\n";
  const std::string_view rubbish[] = {
      "--set_1\r\n",
      "--set_1\r\n\r\n",
      "--set_1\r\n\r\n\r\n",
      "--set_1\r\nrubbish\r\n",
      "--set_1\r\nContent-Type: text/plain\r\n\r\nPOST /t HTTP/1.1\r\n\r\n{}\r\n",
  };
  for (const std::string_view text : rubbish) {
    CAPTURE(text);
    CHECK(is_unreadable(change_set(text), 0));
    CHECK(is_unreadable(change_set(kInsert + std::string(text)), 1));
    CHECK(is_unreadable(change_set(std::string(text) + kDelete), 0));
    CHECK(is_unreadable(replaced(change_set(kInsert + std::string(text) + kDelete), "\r\n", "\n"), 1));
  }
  for (const std::string_view request :
       {"Content-Length: 69Accept: application/json\r\n\r\n\r\n", "Content-Length: 2Accept: x\r\n\r\n{}",
        "Content-Length: -1\r\n\r\n{}", "Accept\r\n\r\n{}"}) {
    CAPTURE(request);
    CHECK(is_unreadable(change_set(kInsert + write_part(headers + std::string(request))), 1));
  }
  CHECK(is_unreadable(change_set(write_part("POST /t\r\n\r\n{}")), 0));
  const std::string plain = change_set(write_part(headers + "Content-Length: 69\r\n\r\n{}"));
  CHECK(parsed(plain).parts.at(0).body == "{}");
}

TEST_CASE("Lines of a batch may end with LF") {
  check_insert_and_delete(replaced(change_set(kInsert + kDelete), "\r\n", "\n"));
}

TEST_CASE("Empty lines are allowed before boundaries, after headers and before bodies") {
  const std::string plain = change_set(kInsert + kDelete);
  const struct {
    std::string_view place, from, to;
  } cases[] = {
      {"before the first boundary of the set", "boundary=set_1\r\n\r\n", "boundary=set_1\r\n\r\n\r\n"},
      {"behind the headers of a part", "binary\r\n\r\n", "binary\r\n\r\n\r\n\r\n"},
      {"before a body", "Content-Length: 9\r\n\r\n", "Content-Length: 9\r\n\r\n\r\n"},
      {"behind a body", "}\r\n", "}\r\n\r\n"},
      {"behind a part without body, one more", "json\r\n\r\n\r\n", "json\r\n\r\n\r\n\r\n"},
      {"behind a part without body, one less", "json\r\n\r\n\r\n", "json\r\n\r\n"},
      {"behind a part without body, none", "json\r\n\r\n\r\n", "json\r\n"},
      {"between the two ends", "--batch_1--", "\r\n--batch_1--"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.place);
    const std::string body = replaced(plain, c.from, c.to);
    REQUIRE(body != plain);
    check_insert_and_delete(body);
    check_insert_and_delete(replaced(body, "\r\n", "\n"));
  }
}

TEST_CASE("All spellings that clients use are accepted") {
  const std::string plain = change_set(kInsert + kDelete);
  const struct {
    std::string_view from, to;
  } cases[] = {
      {"Content-Type: application/http", "content-type:application/http"},
      {"Content-Type: application/http", "CONTENT-TYPE: Application/HTTP; msgtype=request"},
      {"Content-Type: multipart/mixed; boundary=set_1", "content-type: Multipart/Mixed;odd=x; Boundary=\"set_1\""},
      {"Content-Transfer-Encoding: binary\r\n", ""},
      {"Content-Length: 9", "content-length:  9 "},
      {"HTTP/1.1", "HTTP/1.1 "},
      {"--set_1\r\n", "--set_1 \t\r\n"},
      {"--set_1--\r\n", "--set_1--  \r\nthis is ignored\r\n"},
      {"--batch_1--\r\n", "--batch_1--"},
      {"--batch_1--\r\n", "--batch_1--\r\n--batch_1\r\nthis is ignored"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.to);
    const std::string body = replaced(plain, c.from, c.to);
    REQUIRE(body != plain);
    check_insert_and_delete(body);
  }
  check_insert_and_delete("This is a preamble.\r\n-- --batch_1\r\n\r\n" + plain);
}

TEST_CASE("Any number in the Content-Length of a part is ignored") {
  for (const std::string_view length : {"", "0", "1", "999999999999999999999"}) {
    CAPTURE(length);
    const std::string body = query("PUT /t HTTP/1.1\r\nContent-Length: " + std::string(length) + "\r\n\r\n{\"a\":1}");
    CHECK(parsed(body).parts.at(0).body == "{\"a\":1}");
  }
}

TEST_CASE("The boundary parameter is found in all its forms") {
  const std::string body = change_set(kInsert + kDelete);
  for (const std::string_view type : {
           "multipart/mixed; boundary=batch_1",
           "multipart/mixed;boundary=batch_1",
           "MULTIPART/MIXED ; BOUNDARY = batch_1 ",
           "multipart/mixed; boundary=\"batch_1\"",
           "multipart/mixed; boundary=\"batch_1\"; charset=utf-8",
           "multipart/mixed; charset=\"x;boundary=y\"; boundary=batch_1; type=z",
           "multipart/mixed; odd; boundary=batch_1",
           "multipart/mixed;; boundary=batch_1;",
       }) {
    CAPTURE(type);
    check_insert_and_delete(body, type);
  }
}

TEST_CASE("A content type without boundary, or with another one, is refused") {
  const std::string body = change_set(kInsert);
  for (const std::string_view type : {
           "",
           ";",
           "multipart/mixed",
           "multipart/mixed;",
           "multipart/mixed; boundary",
           "multipart/mixed; boundary=",
           "multipart/mixed; boundary=\"\"",
           "multipart/mixed; boundary=\"batch_1",
           "multipart/mixed; xboundary=batch_1",
           "multipart/mixed; boundary=batch_2",
           "application/json; boundary=batch_1",
           "multipart/mixed boundary=batch_1",
       }) {
    CAPTURE(type);
    CHECK(refused(body, type));
  }
}

TEST_CASE("A boundary may have 70 characters, not 71") {
  for (const std::size_t length : {1U, 69U, 70U, 71U}) {
    CAPTURE(length);
    const std::string boundary(length, 'b');
    const std::string body = replaced(query("GET /t HTTP/1.1\r\n\r\n"), "batch_1", boundary);
    CHECK(refused(body, "multipart/mixed; boundary=" + boundary) == (length > 70));
  }
}

TEST_CASE("One boundary may be a prefix of the other") {
  for (const std::string_view inner : {"batch_12", "batch_", "b", "batch_1--x", "-", "--"}) {
    CAPTURE(inner);
    check_insert_and_delete(replaced(change_set(kInsert + kDelete), "set_1", inner));
  }
}

TEST_CASE("A boundary inside a line is text") {
  const std::string text = "{\"a\":\"--set_1--\",\r\n \"b\":\"--batch_1\"}";
  const std::string body = change_set(write_part("POST /t HTTP/1.1\r\n\r\n" + text));
  const BatchRequest batch = parsed(body);
  REQUIRE(batch.parts.size() == 1);
  CHECK(batch.parts[0].body == text);
}

// Reads a change set line by line. Returns the text of its parts, or nullopt if the final delimiter is missing.
std::optional<std::vector<std::string>> parts_by_lines(const std::string& text, const std::string& boundary) {
  std::vector<std::string> parts;
  std::optional<std::string> open;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string whole = text.substr(begin, end - begin);
    begin = end;
    std::string line = whole;
    if (line.ends_with('\n')) line.pop_back();
    if (line.ends_with('\r')) line.pop_back();
    line.erase(line.find_last_not_of(" \t") + 1);
    const std::string inner = "--" + boundary, final = inner + "--";
    const bool is_final = line.ends_with(final);
    const std::string& delimiter = is_final ? final : inner;
    const std::string before = line.ends_with(delimiter) ? line.substr(0, line.size() - delimiter.size()) : "x";
    if (!before.empty() && !before.ends_with('}')) {
      if (open) *open += whole;
      continue;
    }
    if (open) parts.push_back(*open + before);
    const bool is_last = open && text.find_first_not_of(" \t\r\n", begin) == text.npos;
    if (is_final || is_last) return parts;
    open = "";
  }
  return std::nullopt;
}

TEST_CASE("Any text is split as if it were read line by line") {
  const std::string head = std::string(kPart) + "POST /t HTTP/1.1\r\n\r\n";
  std::mt19937 random(1);  // the same in each run
  for (const std::string boundary : {"set_1", "set", "_", "a_b_", "-", "__", "s--", "1_1_1"}) {
    const std::string inner = "--" + boundary, half = boundary.substr(0, boundary.size() / 2);
    const std::vector<std::string> pieces = {inner + "\r\n" + head,
                                             inner + "\n" + head,
                                             inner + " \t\r\n" + head,
                                             "{}" + inner + "\r\n" + head,
                                             inner + "--\r\n",
                                             inner + "--",
                                             inner,
                                             inner + half + "\r\n",
                                             "x" + inner + "\r\n",
                                             "{\"" + inner + "\":1}\r\n",
                                             boundary + "\r\n",
                                             "-" + boundary + "\n",
                                             "{\"b\":2}\r\n",
                                             half + "\n",
                                             half,
                                             "_",
                                             "--",
                                             "\r\n",
                                             "\n",
                                             " "};
    for (int round = 0; round < 4'000; ++round) {
      std::string text;
      for (auto count = random() % 12; count > 0; --count) text += pieces[random() % pieces.size()];
      CAPTURE(boundary);
      CAPTURE(text);
      std::string body = "--outer\r\nContent-Type: multipart/mixed; boundary=\"" + boundary + "\"\r\n\r\n";
      body += text + "\r\n--outer--\r\n";
      const auto batch = parse_batch("multipart/mixed; boundary=outer", body);
      const auto expected = parts_by_lines(text, boundary);
      REQUIRE(batch.has_value() == expected.has_value());
      if (!expected) continue;
      REQUIRE(batch->parts.size() == expected->size());
      for (std::size_t i = 0; i < expected->size(); ++i) {
        std::string part = (*expected)[i];
        if (!part.starts_with(head)) continue;
        part.erase(0, std::min(part.find_first_not_of(" \t\r\n", head.size()), part.size()));
        part.erase(part.find_last_not_of(" \t\r\n") + 1);
        REQUIRE(batch->parts[i].body == part);
      }
    }
  }
}

TEST_CASE("Headers of the MIME part are not headers of the request") {
  const std::string body = change_set(replaced(kDelete, "binary\r\n", "binary\r\nContent-ID: 7\r\n"));
  const BatchRequest batch = parsed(body);
  REQUIRE(batch.parts.size() == 1);
  CHECK_FALSE(batch.parts[0].head->headers->has("Content-ID"));
  CHECK_FALSE(batch.parts[0].head->headers->has("Content-Type"));
}

TEST_CASE("An empty change set has no part") {
  const std::string body = change_set("");
  const BatchRequest batch = parsed(body);
  CHECK(batch.change_set);
  CHECK(batch.parts.empty());
}

TEST_CASE("A request directly in the batch is a batch of one") {
  const std::string body =
      query("GET https://host/t(PartitionKey='p',RowKey='r')?$select=a HTTP/1.1\r\nAccept: x\r\n\r\n");
  const BatchRequest batch = parsed(body);
  CHECK_FALSE(batch.change_set);
  REQUIRE(batch.parts.size() == 1);
  CHECK(batch.parts[0].head->method == "GET");
  CHECK(batch.parts[0].head->target == "https://host/t(PartitionKey='p',RowKey='r')?$select=a");
  CHECK(batch.parts[0].head->headers->get("Accept") == "x");
  CHECK(batch.parts[0].body == "");
  const std::string write = query("POST /t HTTP/1.1\r\n\r\n{}");
  CHECK_FALSE(parsed(write).change_set);
  CHECK(parsed(write).parts.at(0).head->method == "POST");
}

TEST_CASE("A request line has a method, a target and a version") {
  const struct {
    std::string_view line, method, target;
  } cases[] = {
      {"GET /t HTTP/1.1", "GET", "/t"},
      {"GET t HTTP/1.0", "GET", "t"},
      {"GET  /t  HTTP/1.1", "GET", "/t"},
      {" GET /t HTTP/1.1", "GET", "/t"},
      {"GET /t(PartitionKey='a b',RowKey='c') HTTP/1.1", "GET", "/t(PartitionKey='a b',RowKey='c')"},
      {"GET /t(PartitionKey='\xC3\xA9',RowKey='c') HTTP/1.1", "GET", "/t(PartitionKey='\xC3\xA9',RowKey='c')"},
      {"frobnicate /t HTTP/1.1", "frobnicate", "/t"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.line);
    const std::string body = query(std::string(c.line) + "\r\n\r\n");
    const BatchRequest batch = parsed(body);
    REQUIRE(batch.parts.size() == 1);
    CHECK(batch.parts[0].head->method == c.method);
    CHECK(batch.parts[0].head->target == c.target);
  }
}

TEST_CASE("A part without a proper request line is refused") {
  REQUIRE_FALSE(refused(query("GET /t HTTP/1.1\r\nAccept: x\r\n\r\n")));
  for (const std::string_view line : {"", "GET", "GET /t", "GET HTTP/1.1", "GET  HTTP/1.1", "/t HTTP/1.1", "GET /t 1.1",
                                      "GET /t HTTP", "GET /t\tHTTP/1.1", "GET /t\r HTTP/1.1", "GET /\x01 HTTP/1.1"}) {
    CAPTURE(line);
    CHECK(refused(query(std::string(line) + "\r\nAccept: x\r\n\r\n")));
  }
}

TEST_CASE("Malformed header lines and control characters are refused") {
  REQUIRE_FALSE(refused(query("GET /t HTTP/1.1\r\nAccept: x\r\n\r\n")));
  for (const std::string_view line : {"Accept", ": x", "Acc ept: x", "Accept : x", " folded: x", "\tfolded",
                                      "Accept: a\rX: b", "Accept: a\x01", "Accept: \x7F"}) {
    CAPTURE(line);
    CHECK(refused(query("GET /t HTTP/1.1\r\n" + std::string(line) + "\r\n\r\n")));
    CHECK(refused(replaced(query("GET /t HTTP/1.1\r\n\r\n"), "Content-Transfer-Encoding: binary", line)));
  }
  CHECK(refused(query("GET /t HTTP/1.1\r\nAccept: a" + std::string(1, '\0') + "\r\n\r\n")));
}

TEST_CASE("A batch that is not one change set or one request is refused") {
  const std::string one_query = "--batch_1\r\n" + std::string(kPart) + "GET /t HTTP/1.1\r\n\r\n\r\n";
  const std::string set_headers = "--batch_1\r\nContent-Type: multipart/mixed; boundary=set_1\r\n\r\n";
  const std::string one_set = set_headers + kInsert + "--set_1--\r\n";
  const std::string end = "--batch_1--\r\n";
  REQUIRE_FALSE(refused(one_query + end));
  REQUIRE_FALSE(refused(one_set + end));
  const struct {
    std::string_view name;
    std::string body;
  } cases[] = {
      {"nothing", ""},
      {"text", "{\"a\":1}"},
      {"no part", end},
      {"an empty part", "--batch_1\r\n" + end},
      {"a part that is one empty line", "--batch_1\r\n\r\n" + end},
      {"no final delimiter", one_query},
      {"no final delimiter of the change set", replaced(one_set + end, "--set_1--", "")},
      {"no delimiter of the change set", set_headers + end},
      {"two queries", one_query + one_query + end},
      {"two change sets", one_set + one_set + end},
      {"a query, then a change set", one_query + one_set + end},
      {"a change set, then a query", one_set + one_query + end},
      {"a change set without boundary", replaced(one_set + end, "; boundary=set_1", "")},
      {"a change set with the batch's boundary", replaced(one_set + end, "set_1", "batch_1")},
      {"a part that is not HTTP", replaced(one_query + end, "application/http", "application/json")},
      {"a part without content type", replaced(one_query + end, "Content-Type: application/http\r\n", "")},
      {"a part without the empty line behind its headers", replaced(one_query + end, "binary\r\n\r\n", "binary\r\n")},
      {"a part without any header", replaced(one_query + end, kPart, "")},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(refused(c.body));
  }
}

TEST_CASE("Every truncation of a batch is refused, except of the line break at its end") {
  for (const std::string& body : {change_set(kInsert + kDelete), query("GET /t HTTP/1.1\r\n\r\n")}) {
    for (std::size_t length = 0; length + 2 < body.size(); ++length) {
      CAPTURE(length);
      if (length + 4 == body.size()) continue;  // the last delimiter without its hyphens
      // A vector of exactly this size, so that a sanitizer detects reads beyond the end.
      const std::vector<char> truncated(body.data(), body.data() + length);
      CHECK(parse_batch(kContentType, {truncated.data(), truncated.size()}).has_error());
    }
    CHECK_FALSE(refused(body.substr(0, body.size() - 2)));
  }
}

// The result for a damaged batch is unspecified, but its views must be inside the body.
TEST_CASE("A batch with any damaged byte causes no harm") {
  const std::string body = change_set(kInsert + kDelete);
  for (std::size_t at = 0; at < body.size(); ++at) {
    for (const char damage : {'\0', '\n', '\r', '-', ':', ' ', '\xFF'}) {
      std::vector<char> bytes(body.begin(), body.end());
      bytes[at] = damage;
      const std::string_view damaged(bytes.data(), bytes.size());
      const auto batch = parse_batch(kContentType, damaged);
      if (!batch) continue;
      CHECK(batch->parts.size() <= 2);
      for (const BatchPart& part : batch->parts) {
        CAPTURE(damaged);
        if (part.head) CHECK(damaged.find(part.head->target) != std::string_view::npos);
        CHECK(damaged.find(part.body) != std::string_view::npos);
      }
    }
  }
}

TEST_CASE("Only the first 1,000 parts are read, the rest is ignored") {
  for (const int count : {kMaxBatchParts - 1, kMaxBatchParts, kMaxBatchParts + 1}) {
    CAPTURE(count);
    std::string parts;
    for (int i = 0; i < count; ++i) parts += kDelete;
    const auto batch = parse_batch(kContentType, change_set(parts));
    REQUIRE(batch.has_value());
    CHECK(static_cast<int>(batch->parts.size()) == std::min(count, kMaxBatchParts));
    const auto position = static_cast<std::size_t>(count);
    CHECK(is_unreadable(change_set(parts + "--set_1\r\nrubbish\r\n"), position) == (count < kMaxBatchParts));
  }
}

TEST_CASE("A part may have 100 header lines, not 101") {
  for (const int count : {kMaxPartHeaders, kMaxPartHeaders + 1}) {
    CAPTURE(count);
    std::string headers;
    for (int i = 0; i < count; ++i) headers += "x: y\r\n";
    CHECK(refused(query("GET /t HTTP/1.1\r\n" + headers + "\r\n")) == (count > kMaxPartHeaders));
  }
}

// Bodies of the largest accepted size that cost as much as possible. Quadratic work would take minutes.
TEST_CASE("Hostile batches of 4 MiB are read or refused in linear time") {
  const std::string head = "--batch_1\r\nContent-Type: multipart/mixed; boundary=set_1\r\n\r\n";
  for (const std::string_view unit :
       {"\n",           "\r",         "-",          "--\n",
        "--set_1",      "--set_1-\n", "--batch_\n", "--set_1\n\n",
        "a:b\n",        " ",          ";",          "\";",
        "--set_1\n \n", "}--set_1\n", "_",          "set_",
        "--set_",       "set_1",      "--set_2\n",  "--set_1\nContent-Type: multipart/mixed; boundary=set_1\n\n"}) {
    CAPTURE(unit);
    std::string flood;
    while (flood.size() < 4U << 20) flood += unit;
    CHECK(refused(head + flood));
    const auto set = parse_batch(kContentType, head + flood + "\r\n--batch_1--");
    CHECK((set.has_error() || std::all_of(set->parts.begin(), set->parts.end(),
                                          [](const BatchPart& part) { return part.head == nullptr; })));
    CHECK(refused(query(flood)));
    CHECK(refused(query("GET /t HTTP/1.1\r\nContent-Type" + flood)));
    CHECK(refused(head, "multipart/mixed; " + flood));
  }
}

constexpr std::string_view kNoContent =
    "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nDataServiceVersion: 1.0;\r\n\r\n";
constexpr std::string_view kConflict = "HTTP/1.1 409 Conflict\r\nDataServiceVersion: 3.0;\r\n\r\n{\"odata.error\":{}}";

std::string response_of(const std::string& change_set, const std::vector<std::string_view>& parts) {
  BatchResponseWriter response("batchresponse_1", change_set);
  for (const auto part : parts) response.add_part() += part;
  return response.finish();
}

// The layout of these responses is recorded from the service.
TEST_CASE("Two empty lines end a response without body, none a response with body") {
  CHECK(response_of("changesetresponse_2", {kNoContent, kConflict}) ==
        "--batchresponse_1\r\n"
        "Content-Type: multipart/mixed; boundary=changesetresponse_2\r\n"
        "\r\n"
        "--changesetresponse_2\r\n"
        "Content-Type: application/http\r\n"
        "Content-Transfer-Encoding: binary\r\n"
        "\r\n"
        "HTTP/1.1 204 No Content\r\n"
        "X-Content-Type-Options: nosniff\r\n"
        "DataServiceVersion: 1.0;\r\n"
        "\r\n"
        "\r\n"
        "--changesetresponse_2\r\n"
        "Content-Type: application/http\r\n"
        "Content-Transfer-Encoding: binary\r\n"
        "\r\n"
        "HTTP/1.1 409 Conflict\r\n"
        "DataServiceVersion: 3.0;\r\n"
        "\r\n"
        "{\"odata.error\":{}}\r\n"
        "--changesetresponse_2--\r\n"
        "--batchresponse_1--\r\n");
}

TEST_CASE("The response to an empty change set is an empty change set") {
  CHECK(response_of("changesetresponse_2", {}) ==
        "--batchresponse_1\r\n"
        "Content-Type: multipart/mixed; boundary=changesetresponse_2\r\n"
        "\r\n"
        "--changesetresponse_2--\r\n"
        "--batchresponse_1--\r\n");
}

TEST_CASE("The response to a query is directly in the batch") {
  CHECK(response_of("", {kConflict}) ==
        "--batchresponse_1\r\n"
        "Content-Type: application/http\r\n"
        "Content-Transfer-Encoding: binary\r\n"
        "\r\n"
        "HTTP/1.1 409 Conflict\r\n"
        "DataServiceVersion: 3.0;\r\n"
        "\r\n"
        "{\"odata.error\":{}}\r\n"
        "--batchresponse_1--\r\n");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
