// Authentication: strings to sign, signatures, complete checks.
#include <benchmark/benchmark.h>

#include "bench/requests.h"
#include "odata/protocol/development_account.h"
#include "odata/protocol/sas.h"
#include "odata/protocol/shared_key.h"
#include "server/access/authenticator.h"

namespace rocktable::micro {
namespace {

constexpr std::string_view kTarget =
    "/devstoreaccount1/entities(PartitionKey='partition00000000',RowKey='row00001234')";

SignedRequest signed_request() { return {"GET", "", "", "Wed, 26 May 2021 15:48:10 GMT", kTarget}; }

void string_to_sign(benchmark::State& state) {
  const SignedRequest request = signed_request();
  for (auto _ : state) benchmark::DoNotOptimize(shared_key_string_to_sign(kDevelopmentAccount, request));
}
BENCHMARK(string_to_sign);

void sign(benchmark::State& state) {
  const AccountKey key(kDevelopmentKey);
  const std::string text = shared_key_string_to_sign(kDevelopmentAccount, signed_request());
  for (auto _ : state) benchmark::DoNotOptimize(key.sign(text));
}
BENCHMARK(sign);

// Adds the header lines of a request as the client wrote them.
void add_fields(std::string_view bytes, Headers& headers) {
  bytes.remove_prefix(bytes.find("\r\n") + 2);
  while (!bytes.starts_with("\r\n")) {
    const auto colon = bytes.find(": "), end = bytes.find("\r\n");
    headers.add(bytes.substr(0, colon), bytes.substr(colon + 2, end - colon - 2));
    bytes.remove_prefix(end + 2);
  }
}

void authenticate(benchmark::State& state, Signing signing) {
  const std::string bytes = get_request("entities", 1234, signing);
  const std::string_view line = std::string_view(bytes).substr(0, bytes.find(" HTTP/1.1"));
  const std::string body;
  Request request{"GET", line.substr(line.find(' ') + 1), {}, &body, "127.0.0.1"};
  add_fields(bytes, request.headers);
  const Authenticator authenticator({{std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}}},
                                    [](auto, auto) { return std::vector<SignedIdentifier>(); });
  const Target target = parse_target(request.target, "127.0.0.1", false, true).value();
  const DateTime time = now();
  if (!authenticator.authenticate(request, target, false, time)) {
    state.SkipWithError("refused");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(authenticator.authenticate(request, target, false, time));
}
BENCHMARK_CAPTURE(authenticate, shared_key, Signing::SharedKey);
BENCHMARK_CAPTURE(authenticate, shared_key_lite, Signing::SharedKeyLite);
BENCHMARK_CAPTURE(authenticate, account_sas, Signing::Sas);

}  // namespace
}  // namespace rocktable::micro
