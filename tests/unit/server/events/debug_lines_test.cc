// What the debug log says of a refused request, and of each operation of a batch.
#include "server/events/debug_lines.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kHost = "http://127.0.0.1:10002/acc/";

// A part of a batch, and the part of an answer.
std::string operation(std::string_view method, std::string_view path, std::string_view body = "") {
  return std::string("--b\r\nContent-Type: application/http\r\n\r\n")
      .append(method)
      .append(" ")
      .append(kHost)
      .append(path)
      .append(" HTTP/1.1\r\nAccept: application/json\r\n\r\n")
      .append(body)
      .append("\r\n");
}

std::string answer(std::string_view status, std::string_view body = "") {
  return std::string("--r\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 ")
      .append(status)
      .append("\r\nDataServiceVersion: 3.0;\r\n\r\n")
      .append(body)
      .append("\r\n");
}

std::string json_error(std::string_view code, std::string_view message) {
  return std::string(R"({"odata.error":{"code":")")
      .append(code)
      .append(R"(","message":{"lang":"en-US","value":")")
      .append(message)
      .append(R"(\nRequestId:1\nTime:2"}}})");
}

std::string xml_error(std::string_view code, std::string_view message) {
  return std::string("<?xml version=\"1.0\"?><error><code>")
      .append(code)
      .append("</code><message xml:lang=\"en-US\">")
      .append(message)
      .append("\nRequestId:1</message></error>");
}

Lines lines_of_batch(const std::string& request_body, const std::string& response_body, int status = 202) {
  const Operation batch = Batch{};
  Request request;
  request.body = &request_body;
  Response response;
  response.status = status;
  response.body = response_body;
  RequestEvent event;
  event.operation = &batch;
  event.request = &request;
  event.response = &response;
  event.status = status;
  return operations_of(event);
}

std::string reason(const std::string& body, int status = 400) {
  Response response;
  response.status = status;
  response.body = body;
  RequestEvent event;
  event.response = &response;
  event.status = status;
  event.error = ErrorCode::InvalidInput;
  return reason_of(event);
}

TEST_CASE("Each operation of a change set has its status") {
  const std::string body = operation("POST", "t", "{}") + operation("DELETE", "t(PartitionKey='',RowKey='')");
  CHECK(lines_of_batch(body, answer("201 Created") + answer("204 No Content") + "--r--\r\n") ==
        Lines{"operation 0: POST http://127.0.0.1:10002/acc/t -> 201",
              "operation 1: DELETE http://127.0.0.1:10002/acc/t(PartitionKey='',RowKey='') -> 204"});
}

TEST_CASE("A query in a batch has its status, or its error") {
  const std::string body = operation("GET", "t(PartitionKey='p',RowKey='r')");
  const std::string begin = "operation 0: GET http://127.0.0.1:10002/acc/t(PartitionKey='p',RowKey='r') -> ";
  CHECK(lines_of_batch(body, answer("200 OK", R"({"a":1})")) == Lines{begin + "200"});
  CHECK(lines_of_batch(body, answer("404 Not Found", json_error("ResourceNotFound", "It does not exist."))) ==
        Lines{begin + "404 ResourceNotFound: It does not exist."});
  CHECK(lines_of_batch(body, answer("404 Not Found")) == Lines{begin + "404"});
}

// JSON leaves `<` and `{` as they are.
TEST_CASE("An entity that contains the words of an error is none") {
  const std::string request = operation("POST", "t") + operation("POST", "t") + operation("POST", "t");
  for (const std::string_view entity : {R"({"a":"<code>x</code><message>y</message>"})", R"({"a":"<Code>x</Code>"})",
                                        R"({"a":1,"b":{"odata.error":{"code":"x","message":{"value":"1:y"}}}})"}) {
    CAPTURE(entity);
    const Lines lines =
        lines_of_batch(request, answer("201 Created", entity) + answer("201 Created", entity) + answer("201 Created"));
    REQUIRE(lines.size() == 3);
    for (const std::string& line : lines) CHECK(line.ends_with("/acc/t -> 201"));
    CHECK(lines_of_batch(operation("GET", "t"), answer("200 OK", entity)).at(0).ends_with("/acc/t -> 200"));
  }
  // The refused part is the one that counts.
  const Lines lines = lines_of_batch(request, answer("200 OK", "<code>x</code>") + answer("200 OK") +
                                                  answer("409 Conflict", xml_error("Exists", "2:There.")));
  CHECK(lines.at(0).ends_with(" -> 200"));
  CHECK(lines.at(1).ends_with(" -> 200"));
  CHECK(lines.at(2).ends_with(" -> 409 Exists: There."));
}

TEST_CASE("The error of a change set names the operation that failed; the others are not done") {
  const std::string request = operation("POST", "t") + operation("PUT", "t") + operation("MERGE", "t");
  for (const std::string& error : {json_error("Exists", "1:It exists."), xml_error("Exists", "1:It exists.")}) {
    CAPTURE(error);
    CHECK(lines_of_batch(request, answer("409 Conflict", error)) ==
          Lines{"operation 0: POST http://127.0.0.1:10002/acc/t -> not done",
                "operation 1: PUT http://127.0.0.1:10002/acc/t -> 409 Exists: It exists.",
                "operation 2: MERGE http://127.0.0.1:10002/acc/t -> not done"});
  }
  for (const std::string_view message : {"7:It exists.", "99999999999999999999:x", "1", "no number"}) {
    CAPTURE(message);
    for (const std::string& line : lines_of_batch(request, answer("409 Conflict", json_error("Exists", message))))
      CHECK(line.ends_with(" -> not done"));
  }
}

TEST_CASE("A batch that is refused as a whole has done none of its operations") {
  const std::string error = json_error("InvalidInput", "0:Wrong.");
  CHECK(lines_of_batch(operation("PUT", "t"), error, 400).at(0).ends_with(" -> 400 InvalidInput: Wrong."));
  const Lines lines = lines_of_batch(operation("PUT", "t") + operation("PUT", "t"), error, 400);
  CHECK(lines.at(0).ends_with(" -> 400 InvalidInput: Wrong."));
  CHECK(lines.at(1).ends_with(" -> not done"));
  CHECK(lines_of_batch("", error, 400).empty());
  CHECK(lines_of_batch("GET x HTTP/1.1", "", 202) == Lines{"operation 0: GET x -> not done"});
}

TEST_CASE("The lines of a batch are bounded: their number, their targets and their messages") {
  std::string request;
  std::string response;
  for (int i = 0; i < 150; ++i) {
    request += operation("POST", "t" + std::string(1000, '\xFF'));
    response += answer("201 Created");
  }
  const Lines lines = lines_of_batch(request, response);
  REQUIRE(lines.size() == 100);
  for (const std::string& line : lines) CHECK(line.size() < 1000);
  CHECK(lines.back().starts_with("operation 99: "));
  CHECK(lines.back().ends_with(" -> 201"));

  const std::string long_words(5000, 'x');
  for (const std::string& error : {json_error(long_words, long_words), xml_error(long_words, long_words)}) {
    const std::string line = lines_of_batch(operation("PUT", "t"), answer("400 Bad Request", error)).at(0);
    CHECK(line.size() < 700);
    CHECK(line.find(" -> 400 xxx") != line.npos);
  }
}

TEST_CASE("The reason of a refusal has at most 600 bytes, whatever is masked or cut in it") {
  CHECK(reason(json_error("OutOfRangeInput", "It is wrong.")) == " OutOfRangeInput: It is wrong.");
  CHECK(reason(xml_error("OutOfRangeInput", "It is wrong.")) == " OutOfRangeInput: It is wrong.");
  CHECK(reason("<m:error><m:code>InvalidUri</m:code><m:message "
               "xml:lang=\"en-US\">Wrong.\nRequestId:1</m:message>") == " InvalidUri: Wrong.");
  CHECK(reason("<Error><Code>InvalidUri</Code><Message>Wrong.</Message></Error>") == " InvalidUri: Wrong.");
  CHECK(reason("no error") == " InvalidInput");
  CHECK(reason("") == " InvalidInput");
  for (const std::string_view repeated : {"x", "sig=&", "\xC3\xA4", "\xE2\x82\xAC", "\xFF", "\x01"}) {
    CAPTURE(repeated);
    std::string message = "y";
    for (int i = 0; i < 1000; ++i) message += repeated;
    for (const std::string_view code : {"OutOfRangeInput", message.c_str()})
      CHECK(reason(xml_error(code, message)).size() <= 600);
  }
  CHECK(reason(json_error("x", std::string(5000, 'x'))).size() > 400);
}

// A body of a fault rule may be anything.
TEST_CASE("A body that only resembles an error is accepted") {
  for (const std::string_view body :
       {R"({"odata.error")", R"({"odata.error":1})", R"({"odata.error":{"code":1,"message":2}})",
        R"({"odata.error":{"code":[],"message":{"value":{}}}})", R"({"odata.error":[]})", R"({"odata.error"}{)",
        "<code>", "<message", "<message>"}) {
    CAPTURE(body);
    CHECK(reason(std::string(body)) == " InvalidInput");
  }
}

TEST_CASE("Signatures and keys in targets and messages are masked") {
  const std::string request = operation("GET", "t?sv=1&sig=c2VjcmV0&x=1");
  const std::string error = json_error("Wrong", R"(Not http://h/t?sig=c2VjcmV0 or AccountKey=c2VjcmV0;)");
  CHECK(lines_of_batch(request, answer("400 Bad Request", error)) ==
        Lines{"operation 0: GET http://127.0.0.1:10002/acc/t?sv=1&sig=***&x=1 -> 400 Wrong: Not "
              "http://h/t?sig=*** or AccountKey=***;"});
  CHECK(reason(error) == " Wrong: Not http://h/t?sig=*** or AccountKey=***;");
}

TEST_CASE("No control character reaches the log") {
  // ESC, DEL, C1, a line separator, a carriage return
  const std::string request = operation("GET", "t\x1B[2J\x7F\xC2\x9B\"\r");
  const std::string error = json_error("a\\u001b", R"(b\u001b[2J\u007f\u009b\u2028\rc)");
  for (const std::string& line : lines_of_batch(request, answer("400 Bad Request", error))) {
    CHECK(line.find("t%1B[2J%7F%C2%9B%22%0D -> 400 a") != line.npos);
    for (const std::string_view part : {"\x1B", "\x7F", "\xC2\x9B", "\xE2\x80\xA8", "\r", "\n"})
      CHECK(line.find(part) == line.npos);
    CHECK(line.ends_with("c"));
  }
}

TEST_CASE("Only a batch has operations") {
  const std::string body = operation("GET", "t");
  const Operation other = GetServiceProperties{};
  Request request;
  request.body = &body;
  Response response;
  RequestEvent event;
  event.request = &request;
  event.response = &response;
  CHECK(operations_of(event).empty());
  event.operation = &other;
  CHECK(operations_of(event).empty());
  const Operation batch = Batch{};
  event.operation = &batch;
  CHECK(operations_of(event).size() == 1);
  event.response = nullptr;
  CHECK(operations_of(event).empty());
  CHECK(reason_of(event).empty());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
