// What the fuzzers start from, and all that ever broke a rule: in each run of the tests, without a fuzzer.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/targets.h"

namespace rocktable::TEST_FILE {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("the fuzzers' corpus breaks no rule") {
  const struct {
    const char* name;
    void (*target)(std::string_view);
  } cases[] = {
      {"access", fuzz_access},
      {"accounts", fuzz_accounts},
      {"acl", fuzz_acl},
      {"batch", fuzz_batch},
      {"continuation", fuzz_continuation},
      {"control", fuzz_control},
      {"cors", fuzz_cors},
      {"csv", fuzz_csv},
      {"entity", fuzz_entity},
      {"explain", fuzz_explain},
      {"filter", fuzz_filter},
      {"identity", fuzz_identity},
      {"keys", fuzz_keys},
      {"literal", fuzz_literal},
      {"ndjson", fuzz_ndjson},
      {"operation", fuzz_operation},
      {"plan", fuzz_plan},
      {"properties", fuzz_properties},
      {"record", fuzz_record},
      {"request", fuzz_request},
      {"roles", fuzz_roles},
      {"sas", fuzz_sas},
      {"select", fuzz_select},
      {"service", fuzz_service},
      {"table_file", fuzz_table_file},
      {"target", fuzz_target},
      {"token", fuzz_token},
  };
  for (const auto& c : cases) {
    std::size_t files = 0;
    for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(FUZZ_CORPUS) / c.name)) {
      CAPTURE(file.path().string());
      CHECK_NOTHROW(c.target(content_of(file.path())));
      ++files;
    }
    CAPTURE(c.name);
    CHECK(files >= 10);
    CHECK(files <= 64);  // what a fuzzer learns, thousands of files, belongs into build/fuzz
  }
}

}  // namespace rocktable::TEST_FILE
