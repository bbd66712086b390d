// The debug log: its lines, and what they leave out.
#include "server/events/access_log.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace rocktable {
namespace {

TEST_CASE("The debug log has one line for each request, without its signature") {
  const auto path =
      std::filesystem::temp_directory_path() / ("rocktable_access_log_test." + std::to_string(getpid()));
  {
    AccessLog log(/*silent=*/true, path.string());
    log.write({"127.0.0.1", "GET", "/acc/t?sig=secret", 200, 17, "id-1", "table-scan", 30, 20, 1000,
               std::chrono::microseconds(42)});
    log.write({"127.0.0.1", "PUT", "/acc/t{}\xC2\x9B\"", 204, 0, "id-2", "", 0, 0, 0,
               std::chrono::microseconds(7)});
  }
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  CHECK(text.find(
            " id-1 127.0.0.1 GET /acc/t?sig=*** -> 200 17 bytes 42 us table-scan scanned 30 returned 20 read "
            "1000 bytes\n") != text.npos);
  CHECK(text.find(" id-2 127.0.0.1 PUT /acc/t{}%C2%9B%22 -> 204 0 bytes 7 us\n") != text.npos);
  CHECK(text.find("secret") == text.npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("A debug log that cannot be written is told at once") {
  CHECK_THROWS_AS(AccessLog(true, "/proc/no-such-directory/log"), std::runtime_error);
}

}  // namespace
}  // namespace rocktable
