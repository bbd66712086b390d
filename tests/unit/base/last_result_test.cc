// with_last_result: the memory of a pure function.
#include "base/last_result.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

std::vector<std::string>& calls() {
  thread_local std::vector<std::string> calls;
  return calls;
}

std::string twice(std::string_view text) {
  calls().emplace_back(text);
  if (text == "bad") throw std::invalid_argument("bad");
  return std::string(text) + std::string(text);
}

std::size_t length(std::string_view text) { return text.size(); }

TEST_CASE("A function is called once for equal texts in succession, and for each other text") {
  calls().clear();
  for (const char* text : {"", "", "a", "a", "b", "a", "ab", "ab", ""})
    CHECK(with_last_result<twice>(text) == std::string(text) + text);
  CHECK(calls() == std::vector<std::string>{"", "a", "b", "a", "ab", ""});
}

TEST_CASE("The text is remembered as it was, also if its memory is reused") {
  std::string text = "one";
  CHECK(with_last_result<twice>(text) == "oneone");
  text = "two";
  CHECK(with_last_result<twice>(text) == "twotwo");
}

TEST_CASE("Functions do not share their memory") {
  for (int i = 0; i < 2; ++i) {
    CHECK(with_last_result<twice>("abc") == "abcabc");
    CHECK(with_last_result<length>("abc") == 3);
  }
}

TEST_CASE("A function that throws is called again, and leaves no result behind") {
  CHECK(with_last_result<twice>("good") == "goodgood");
  calls().clear();
  for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(with_last_result<twice>("bad"), std::invalid_argument);
  CHECK(with_last_result<twice>("good") == "goodgood");
  CHECK(calls() == std::vector<std::string>{"bad", "bad", "good"});
}

TEST_CASE("Each thread remembers its own text") {
  CHECK(with_last_result<twice>("here") == "herehere");
  std::size_t calls_there = 0;
  std::thread([&] {
    if (with_last_result<twice>("here") == "herehere") calls_there = calls().size();
  }).join();
  CHECK(calls_there == 1);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
