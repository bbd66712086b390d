#include "base/threads/thread_copy.h"

#include <doctest/doctest.h>

#include <string>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("a copy is found for its version and key only") {
  Version version, other;
  ThreadCopy<std::string> copy;
  CHECK(copy.find(version.current(), "a") == nullptr);
  CHECK(copy.keep(version.current(), "a", "value") == "value");
  REQUIRE(copy.find(version.current(), "a") != nullptr);
  CHECK(*copy.find(version.current(), "a") == "value");
  CHECK(copy.find(version.current(), "b") == nullptr);
  CHECK(copy.find(other.current(), "a") == nullptr);
  version.change();
  CHECK(copy.find(version.current(), "a") == nullptr);
}

TEST_CASE("versions are unique, also across objects") {
  Version a, b;
  CHECK(a.current() != b.current());
  const auto before = a.current();
  b.change();
  a.change();
  CHECK(a.current() != before);
  CHECK(a.current() != b.current());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
