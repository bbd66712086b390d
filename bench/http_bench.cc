#include "bench/http_bench.h"

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/bare_iteration.h"
#include "bench/emulator.h"
#include "bench/http_client.h"
#include "bench/sample_entities.h"
#include "bench/samples.h"
#include "odata/payload_writer.h"
#include "odata/uri.h"

namespace rocktable {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;  // of each measurement, of which the median is told
constexpr int kRequestsARound = 1'000;
constexpr int kConnections = 32;
constexpr std::chrono::seconds kLoadTime{2};

// --- Requests ----------------------------------------------------------------------------------------------

std::string entity_json(std::size_t number) {
  const Properties properties = properties_of(number);
  const std::string partition = partition_of(number), row = row_of(number);
  std::string out;
  write_entity(out, {MetadataLevel::Minimal, "", kBenchTable.account, kBenchTable.table}, std::nullopt,
               {partition, row, DateTime{}, view_of(properties)});
  return out;
}

// Inserts up to a hundred entities of one partition, from `first` on.
std::string insert_request(std::size_t first, std::size_t count) {
  std::string body = "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n";
  for (std::size_t i = first; i < first + count; ++i) {
    body += "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nPOST /" +
            std::string(kBenchTable.table) +
            " HTTP/1.1\r\nContent-Type: application/json\r\nPrefer: return-no-content\r\n\r\n" +
            entity_json(i) + "\r\n";
  }
  body += "--c--\r\n--b--\r\n";
  return request_bytes("POST", "/$batch", body, "multipart/mixed; boundary=b");
}

std::string point_request(std::size_t number) {
  std::string resource = "/" + std::string(kBenchTable.table);
  append_key_predicate(resource, partition_of(number), row_of(number));
  return request_bytes("GET", resource);
}

std::string query_request(const std::string& filter, const std::string& tokens = "") {
  return request_bytes(
      "GET", "/" + std::string(kBenchTable.table) + "()?$filter=" + percent_encoded(filter) + tokens);
}

// All pages of a query; the number of entities.
std::size_t query_all(HttpClient& client, const std::string& filter) {
  std::size_t found = 0;
  for (std::string tokens;;) {
    const Answer answer = client.exchange(query_request(filter, tokens));
    found += nlohmann::json::parse(answer.body).at("value").size();
    tokens.clear();
    for (const char* name : {"NextPartitionKey", "NextRowKey"}) {
      const std::string value = answer.header(std::string("x-ms-continuation-") + name);
      if (!value.empty()) tokens += std::string("&") + name + "=" + percent_encoded(value);
    }
    if (tokens.empty()) return found;
  }
}

void require(std::size_t found, std::size_t expected, const std::string& what) {
  if (found == expected) return;
  throw std::runtime_error(what + " found " + std::to_string(found) + " entities, not " +
                           std::to_string(expected));
}

// --- Subjects ----------------------------------------------------------------------------------------------

// One size, and what was measured on it.
struct Subject {
  Subject(std::size_t size, std::filesystem::path where) : entities(size), folder(std::move(where)) {}

  std::size_t entities;
  std::filesystem::path folder;
  std::mt19937 random{static_cast<unsigned>(entities)};
  std::unique_ptr<Emulator> emulator;
  std::vector<double> point, range;  // the median of each round
  Samples partition, table, deletion;

  std::size_t any_entity() { return random() % entities; }
  // The first of a hundred rows of one partition.
  std::size_t any_range() {
    const std::size_t partitions = std::max<std::size_t>(1, entities / kPartitionRows);
    const std::size_t rows = std::min(entities, kPartitionRows);
    return random() % partitions * kPartitionRows + random() % (rows - kRangeRows + 1);
  }
};

using Subjects = std::vector<Subject>;

void fill(Subject& s, const std::filesystem::path& server) {
  constexpr std::size_t kBatch = 100;
  {
    const Emulator emulator(server, s.folder);
    HttpClient client(emulator.port());
    client.exchange(
        request_bytes("POST", "/Tables", R"({"TableName":")" + std::string(kBenchTable.table) + "\"}"));
    for (std::size_t first = 0; first < s.entities; first += kBatch)
      client.exchange(insert_request(first, std::min(kBatch, s.entities - first)));
  }
  compact_store(s.folder / "__rocktable__");
}

// --- Measuring ---------------------------------------------------------------------------------------------

double microseconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The median of a round of requests, each signed beforehand.
double round_of(HttpClient& client, const std::function<std::string()>& make) {
  std::vector<std::string> requests;
  requests.reserve(kRequestsARound);
  for (int i = 0; i < kRequestsARound; ++i) requests.push_back(make());
  Samples samples;
  for (const auto& request : requests)
    samples.microseconds.push_back(microseconds_of([&] { client.exchange(request); }));
  return samples.median();
}

// Client and servers share one core; all sizes in turn.
void measure_growth(Subjects& subjects, const std::filesystem::path& server) {
  stay_on_one_core(true);
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (auto& s : subjects) {
    s.emulator = std::make_unique<Emulator>(server, s.folder);
    clients.push_back(std::make_unique<HttpClient>(s.emulator->port()));
  }
  for (int round = -2; round < kRounds; ++round) {  // the first two warm up
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      Subject& s = subjects[i];
      const double point = round_of(*clients[i], [&] { return point_request(s.any_entity()); });
      const double range =
          round_of(*clients[i], [&] { return query_request(row_range_filter(s.any_range())); });
      if (round < 0) continue;
      s.point.push_back(point);
      s.range.push_back(range);
    }
  }
  for (auto& s : subjects) s.emulator.reset();
  stay_on_one_core(false);
}

void measure_scans(Subject& s) {
  HttpClient client(s.emulator->port());
  for (int round = 0; round < kRounds; ++round) {
    s.partition.microseconds.push_back(microseconds_of([&] {
      const std::size_t whole = std::min(s.entities, kPartitionRows);
      require(query_all(client, partition_filter(0)), (whole + 992) / 1'000, "partition-scan");
    }));
    s.table.microseconds.push_back(
        microseconds_of([&] { require(query_all(client, kTableFilter), kKept, "table-scan"); }));
  }
}

struct Fairness {
  Samples alone, beside;      // point reads
  std::vector<double> ratio;  // of their p99, round by round
};

// Point reads of many connections alone, then while another connection scans the table again and again.
Fairness measure_fairness(Subject& s) {
  std::vector<std::string> requests;
  for (int i = 0; i < kRequestsARound; ++i) requests.push_back(point_request(s.any_entity()));
  const auto any = [&] { return std::string_view(requests[s.random() % requests.size()]); };
  const auto read = [&] { return load(s.emulator->port(), kConnections, kLoadTime, any); };
  const auto add = [](Samples& all, const Samples& more) {
    all.microseconds.insert(all.microseconds.end(), more.microseconds.begin(), more.microseconds.end());
  };
  read();  // to warm up
  Fairness out;
  for (int round = 0; round < kRounds; ++round) {
    const Samples alone = read();
    std::jthread scans([&](const std::stop_token& stop) {
      HttpClient client(s.emulator->port());
      while (!stop.stop_requested()) require(query_all(client, kNoMatchFilter), 0, "the scan beside");
    });
    const Samples beside = read();
    add(out.alone, alone);
    add(out.beside, beside);
    out.ratio.push_back(beside.quantile(0.99) / alone.quantile(0.99));
  }
  return out;
}

// In KiB: how far a fresh server grows while its table is scanned once.
long measure_memory(const Subject& s, const std::filesystem::path& server) {
  const Emulator emulator(server, s.folder);
  HttpClient client(emulator.port());
  client.exchange(point_request(0));
  emulator.reset_peak();
  const long before = emulator.resident();
  require(query_all(client, kNoMatchFilter), 0, "the scan");
  return emulator.peak() - before;
}

// --- Telling -----------------------------------------------------------------------------------------------

void print_row(const char* scenario, std::size_t entities, double median) {
  std::printf("| %-14s | %8zu | %10s |\n", scenario, entities, duration_text(median).c_str());
}

void print(const Subjects& subjects) {
  std::printf("| scenario       | entities |     median |\n| -------------- | -------: | ---------: |\n");
  for (const auto& s : subjects) print_row("point", s.entities, median_of(s.point));
  for (const auto& s : subjects) print_row("row-range", s.entities, median_of(s.range));
  for (const auto& s : subjects) print_row("partition-scan", s.entities, s.partition.median());
  for (const auto& s : subjects) print_row("table-scan", s.entities, s.table.median());
  for (const auto& s : subjects) print_row("delete", s.entities, s.deletion.median());

  std::printf("\n| entities | point, times the smallest | row-range, times the smallest |\n");
  std::printf("| -------: | ------------------------: | ----------------------------: |\n");
  const Subject& smallest = subjects.front();
  for (const auto& s : subjects)
    std::printf("| %8zu | %25.2f | %29.2f |\n", s.entities, median_of(s.point) / median_of(smallest.point),
                median_of(s.range) / median_of(smallest.range));
}

void print(const Fairness& fairness, std::size_t entities) {
  std::printf("\n| fairness, %zu entities | p50 | p99 | requests |\n| --- | ---: | ---: | ---: |\n",
              entities);
  for (const auto& [name, samples] : {std::pair{"32 connections alone", &fairness.alone},
                                      std::pair{"beside a table scan", &fairness.beside}})
    std::printf("| %s | %s | %s | %zu |\n", name, duration_text(samples->quantile(0.5)).c_str(),
                duration_text(samples->quantile(0.99)).c_str(), samples->microseconds.size());
  std::printf("| p99, times that alone: median of %d rounds | | %.2f | |\n", kRounds,
              median_of(fairness.ratio));
}

}  // namespace

void bench_http(const std::filesystem::path& server, const std::vector<std::size_t>& sizes,
                const std::filesystem::path& folder) {
  Subjects subjects;
  for (const std::size_t size : sizes) {
    std::fprintf(stderr, "filling %zu\n", size);
    subjects.emplace_back(size, folder / std::to_string(size));
    fill(subjects.back(), server);
  }
  std::fprintf(stderr, "measuring\n");
  measure_growth(subjects, server);
  const long memory = measure_memory(subjects.back(), server);
  std::optional<Fairness> fairness;
  for (auto& s : subjects) {
    s.emulator = std::make_unique<Emulator>(server, s.folder);
    measure_scans(s);
    if (&s == &subjects.back()) fairness = measure_fairness(s);
    HttpClient client(s.emulator->port());
    const std::string deletion = request_bytes("DELETE", "/Tables('" + std::string(kBenchTable.table) + "')");
    s.deletion.microseconds.push_back(microseconds_of([&] { client.exchange(deletion); }));
    s.emulator.reset();
  }
  print(subjects);
  print(*fairness, sizes.back());
  std::printf("\nA scan of %zu entities: memory grew by %.1f MiB\n", sizes.back(),
              static_cast<double>(memory) / 1024);
}

}  // namespace rocktable
