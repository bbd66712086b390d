// The debug log: the content of its lines, and what they must not contain.
#include "server/events/access_log.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("The debug log has one line for each request, without its signature") {
  const auto path = std::filesystem::temp_directory_path() / ("rocktable_access_log_test." + std::to_string(getpid()));
  {
    AccessLog log(/*silent=*/true, path.string());
    RequestEvent query;
    query.remote_address = "127.0.0.1";
    query.method = "GET";
    query.target = "/acc/t?sig=secret";
    query.request_id = "id-1";
    query.plan_class = "table-scan";
    query.reads = {.entities_scanned = 30, .entities_returned = 20, .bytes_read = 1000};
    query.scanned_in_cloud = 30;
    query.status = 200;
    query.body_bytes = 17;
    query.duration = std::chrono::microseconds(42);
    log.record(query);
    RequestEvent write;
    write.remote_address = "127.0.0.1";
    write.method = "PUT";
    write.target = "/acc/t{}\xC2\x9B\"";
    write.request_id = "id-2";
    write.status = 204;
    write.duration = std::chrono::microseconds(7);
    log.record(write);
  }
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  CHECK(text.find(" id-1 127.0.0.1 GET /acc/t?sig=*** -> 200 17 bytes 42 us table-scan scanned 30 returned 20 read "
                  "1000 bytes\n") != text.npos);
  CHECK(text.find(" id-2 127.0.0.1 PUT /acc/t{}%C2%9B%22 -> 204 0 bytes 7 us\n") != text.npos);
  CHECK(text.find("secret") == text.npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("A debug log that cannot be written is an error at the start") {
  CHECK_THROWS_AS(AccessLog(true, "/proc/no-such-directory/log"), std::runtime_error);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
