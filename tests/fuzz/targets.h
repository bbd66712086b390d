// What the fuzzers call with bytes of their making, and the unit tests with the corpus. Each takes any bytes and
// throws std::logic_error where the code under test breaks a rule.
#pragma once

#include <string_view>

namespace rocktable {

void fuzz_access(std::string_view input);
void fuzz_accounts(std::string_view input);
void fuzz_acl(std::string_view input);
void fuzz_batch(std::string_view input);
void fuzz_continuation(std::string_view input);
void fuzz_control(std::string_view input);
void fuzz_cors(std::string_view input);
void fuzz_csv(std::string_view input);
void fuzz_entity(std::string_view input);
void fuzz_explain(std::string_view input);
void fuzz_filter(std::string_view input);
void fuzz_keys(std::string_view input);
void fuzz_literal(std::string_view input);
void fuzz_ndjson(std::string_view input);
void fuzz_operation(std::string_view input);
void fuzz_plan(std::string_view input);
void fuzz_properties(std::string_view input);
void fuzz_record(std::string_view input);
void fuzz_request(std::string_view input);
void fuzz_sas(std::string_view input);
void fuzz_select(std::string_view input);
void fuzz_service(std::string_view input);
void fuzz_target(std::string_view input);
void fuzz_token(std::string_view input);

}  // namespace rocktable
