// What the fuzzers call with bytes of their making, and the unit tests with the corpus. Each takes any bytes and
// throws std::logic_error where the code under test breaks a rule.
#pragma once

#include <string_view>

namespace rocktable {

void fuzz_access(std::string_view input);
void fuzz_explain(std::string_view input);
void fuzz_filter(std::string_view input);
void fuzz_plan(std::string_view input);
void fuzz_token(std::string_view input);

}  // namespace rocktable
