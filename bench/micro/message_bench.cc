// Messages: parsing a request, parsing a transaction, writing the head of a response.
#include <benchmark/benchmark.h>

#include <boost/asio/buffer.hpp>

#include "bench/micro/samples.h"
#include "bench/requests.h"
#include "odata/protocol/multipart.h"
#include "server/http/request_parser.h"
#include "server/request/response.h"

namespace rocktable::micro {
namespace {

void parse_a_request(benchmark::State& state) {
  const std::string bytes = get_request("entities", kNumber);
  RequestBuffers buffers;
  Request request;
  for (auto _ : state) {
    RequestParser parser(buffers);
    parser.eager(true);
    boost::system::error_code error;
    parser.put(boost::asio::buffer(bytes), error);
    parser.view(request);
    benchmark::DoNotOptimize(request);
  }
}
BENCHMARK(parse_a_request);

void parse_a_transaction_of_100(benchmark::State& state) {
  const std::string bytes = transaction_request("entities", 0, 100);
  const std::string body = bytes.substr(bytes.find("\r\n\r\n") + 4);
  if (!parse_batch("multipart/mixed; boundary=b", body)) state.SkipWithError("refused");
  for (auto _ : state) benchmark::DoNotOptimize(parse_batch("multipart/mixed; boundary=b", body));
}
BENCHMARK(parse_a_transaction_of_100);

void write_a_response_head(benchmark::State& state) {
  Response response;
  response.framing = Response::Framing::Chunked;
  response.body = entity_json();
  response.add("Cache-Control", "no-cache");
  response.add("x-ms-request-id", "cfa38d1f-0002-0042-4a46-52d68f000000");
  response.add("Content-Type", "application/json;odata=minimalmetadata;streaming=true;charset=utf-8");
  std::string out;
  for (auto _ : state) {
    out.clear();
    append_response_head(out, response, {});
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(write_a_response_head);

}  // namespace
}  // namespace rocktable::micro
