// The scenarios over HTTP, grouped by what they need: starts, one connection, many connections, RocksDB.
#include "bench/http_bench.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "bench/bare_store.h"
#include "bench/http_client.h"
#include "bench/requests.h"
#include "bench/sample_entities.h"
#include "odata/uri.h"

namespace rocktable {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

constexpr int kConnections = 32;
constexpr std::size_t kTransaction = 100;
constexpr std::size_t kRequestsARound = 500;       // for one connection
constexpr std::size_t kRequestsPrepared = 20'000;  // for many; reused if repeating them has the same effect
constexpr std::size_t kMiddle = 100'000;           // the table of most scenarios, or the largest below
constexpr std::chrono::seconds kSettle{7};         // before a stop, because some servers write with a delay
constexpr const char* kBareServer = "bare Beast";
constexpr const char* kBareStore = "bare RocksDB";
constexpr const char* kStoreFolder = "__rocktable__";
constexpr const char* kInserts = "inserts";

std::string table_of(std::size_t size) { return "entities" + std::to_string(size); }

std::string count_text(std::size_t count) {
  if (count % 1'000'000 == 0) return std::to_string(count / 1'000'000) + "M";
  if (count % 1'000 == 0) return std::to_string(count / 1'000) + "k";
  return std::to_string(count);
}

Microseconds duration_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return Clock::now() - start;
}

// Searches for a rare letter first, because quotes are frequent.
std::size_t count_rows(std::string_view body) {
  constexpr std::string_view kName = "RowKey\":";
  std::size_t count = 0;
  for (auto at = body.find(kName); at != body.npos; at = body.find(kName, at + kName.size())) ++count;
  return count;
}

// Reads all pages of a query. Returns the number of entities.
std::size_t query_all(HttpClient& client, const std::string& table, std::string_view filter) {
  std::size_t found = 0;
  for (std::string tokens;;) {
    const HttpResponse answer = client.exchange(query_request(table, filter, tokens));
    found += count_rows(answer.body);
    tokens.clear();
    for (const std::string name : {"NextPartitionKey", "NextRowKey"}) {
      const std::string value = answer.header("x-ms-continuation-" + name);
      if (!value.empty()) tokens += "&" + name + "=" + percent_encode(value);
    }
    if (tokens.empty()) return found;
  }
}

void require(std::size_t found, std::size_t expected, const std::string& what) {
  if (found == expected) return;
  throw std::runtime_error(what + " found " + std::to_string(found) + " entities, not " +
                           std::to_string(expected));
}

// One run of all scenarios.
class Bench {
 public:
  explicit Bench(HttpBenchOptions options) : options_(std::move(options)), report_(columns()) {}

  Report run() {
    each([&](Endpoint& target) { live_through(target); });
    pin_to_one_core(true);
    restart();
    for (int round = -1; round < options_.rounds; ++round)
      each([&](Endpoint& target) { one_connection(target, round); });
    pin_to_one_core(false);
    restart();
    many_connections();
    fairness(*options_.targets.front());
    stalls(*options_.targets.front());
    prices(*options_.targets.front());
    bare_store(*options_.targets.front());
    each([&](Endpoint& target) {
      deletion(target);
      target.stop();
    });
    return std::move(report_);
  }

 private:
  std::vector<std::string> columns() const {
    std::vector<std::string> out;
    out.reserve(options_.targets.size() + 2);
    for (const auto& target : options_.targets) out.push_back(target->name());
    if (!options_.bare_server.empty()) out.emplace_back(kBareServer);
    if (options_.targets.front()->is_started_here()) out.emplace_back(kBareStore);
    return out;
  }

  std::vector<std::size_t> sizes_of(const Endpoint& target) const {
    const auto most = options_.largest.find(target.name());
    std::vector<std::size_t> out;
    for (const std::size_t size : options_.sizes)
      if (most == options_.largest.end() || size <= most->second) out.push_back(size);
    return out;
  }

  std::size_t middle_of(const Endpoint& target) const {
    std::size_t out = options_.sizes.front();
    for (const std::size_t size : sizes_of(target))
      if (size <= kMiddle) out = size;
    return out;
  }

  // Runs `work` for each target. A target that fails gets no further rows; a failure of the first target ends
  // the run.
  void each(const std::function<void(Endpoint&)>& work) {
    const auto fails = [&](const std::unique_ptr<Endpoint>& target) {
      try {
        work(*target);
        return false;
      } catch (const std::exception& fault) {
        if (target == options_.targets.front()) throw;
        std::fprintf(stderr, "%s is left out from here on: %s\n", target->name().c_str(), fault.what());
        return true;
      }
    };
    std::erase_if(options_.targets, fails);
  }

  void restart() {
    each([](Endpoint& target) {
      target.stop();
      target.start();
    });
  }

  void add(const std::string& scenario, const Endpoint& target, Microseconds time) {
    report_.add(scenario, Unit::Microseconds, target.name(), time.count());
  }

  // Measures starts, stops, memory and disk, from the first start until all tables are stored.
  void live_through(Endpoint& target);
  void fill(const Endpoint& target, std::size_t size);
  // Client and servers share one core. Round -1 is for warming up.
  void one_connection(Endpoint& target, int round);
  void many_connections();
  void many_connections(const std::string& scenario, const std::function<std::string(std::size_t)>& make,
                        std::optional<std::size_t> size = std::nullopt, bool once = false);
  void fairness(const Endpoint& target);
  void stalls(const Endpoint& target);
  void prices(const Endpoint& target);
  void price(const Endpoint& variant, const std::string& suffix);
  void deletion(const Endpoint& target);
  void bare_store(Endpoint& target);
  std::unique_ptr<Endpoint> start_bare_server();

  HttpBenchOptions options_;
  Report report_;
  std::mt19937 random_{1};
  std::size_t inserted_ = 0;
};

// --- Start, memory, disk -----------------------------------------------------------------------------------

void Bench::fill(const Endpoint& target, std::size_t size) {
  HttpClient client(target.port());
  client.exchange(create_table_request(table_of(size)));
  for (std::size_t first = 0; first < size; first += kTransaction)
    client.exchange(transaction_request(table_of(size), first, std::min(kTransaction, size - first)));
}

std::uintmax_t bytes_in(const std::filesystem::path& folder) {
  std::uintmax_t out = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out += entry.file_size();
  return out;
}

void Bench::live_through(Endpoint& target) {
  std::fprintf(stderr, "filling %s\n", target.name().c_str());
  for (int round = 0; target.is_started_here() && round < options_.rounds; ++round) {
    add("start, empty", target, target.start());
    if (round + 1 < options_.rounds) target.stop();
  }
  if (!target.is_started_here()) target.start();
  const auto memory = [&](const std::string& when) {
    if (target.is_started_here())
      report_.add("memory, " + when, Unit::Mebibytes, target.name(),
                  static_cast<double>(target.process().resident()) / 1024);
  };
  memory("idle");
  std::size_t entities = 0;
  for (const std::size_t size : sizes_of(target)) {
    fill(target, size);
    entities += size;
    if (size >= kMiddle) memory("after " + count_text(size));
  }
  HttpClient(target.port()).exchange(create_table_request(kInserts));
  if (!target.is_started_here()) return;
  std::this_thread::sleep_for(kSettle);
  add("stop", target, target.stop());
  report_.add("disk, an entity", Unit::Bytes, target.name(),
              static_cast<double>(bytes_in(target.folder())) / static_cast<double>(entities));
  for (int round = 0; round < options_.rounds; ++round) {
    add("start, " + count_text(sizes_of(target).back()) + " stored", target, target.start());
    target.stop();
  }
}

// --- One connection ----------------------------------------------------------------------------------------

// Returns the median of a round of requests. All requests are created in advance.
Microseconds median_of_round(HttpClient& client, const std::function<std::string()>& make) {
  std::vector<std::string> requests(kRequestsARound);
  std::ranges::generate(requests, make);
  Samples samples;
  for (const auto& request : requests)
    samples.microseconds.push_back(duration_of([&] { client.exchange(request); }).count());
  return Microseconds(samples.median());
}

void Bench::one_connection(Endpoint& target, int round) {
  HttpClient client(target.port());
  const auto add_unless_warming_up = [&](const std::string& scenario, Microseconds time) {
    if (round >= 0) add(scenario, target, time);
  };
  for (const std::size_t size : sizes_of(target)) {
    const std::string table = table_of(size), of = " of " + count_text(size);
    add_unless_warming_up("point" + of + ", c=1",
                          median_of_round(client, [&] { return get_request(table, random_() % size); }));
    add_unless_warming_up("range of 100" + of + ", c=1", median_of_round(client, [&] {
                            return query_request(table, row_range_filter(first_of_range(random_, size)));
                          }));
    if (size < kMiddle && size != middle_of(target)) continue;
    add_unless_warming_up("table scan, 10" + of, duration_of([&] {
                            require(query_all(client, table, kTableFilter), kKept, "the table scan");
                          }));
  }
  const std::size_t middle = middle_of(target);
  const std::string table = table_of(middle);
  for (const Signing signing : {Signing::SharedKey, Signing::Sas})
    add_unless_warming_up(
        signing == Signing::Sas ? "point, c=1, SAS" : "point, c=1, Shared Key",
        median_of_round(client, [&] { return get_request(table, random_() % middle, signing); }));
  add_unless_warming_up(
      "partition scan, 10 of " + count_text(std::min(middle, kPartitionRows)), duration_of([&] {
        const std::size_t whole = std::min(middle, kPartitionRows);
        require(query_all(client, table, partition_filter(0)), (whole + 992) / 1'000, "the partition scan");
      }));
  add_unless_warming_up("paging through " + count_text(middle),
                        duration_of([&] { require(query_all(client, table, ""), middle, "paging"); }));
  std::string etag = "*";
  Samples updates;
  for (std::size_t i = 0; i < kRequestsARound; ++i) {
    const std::string request = write_request("PUT", table, 0, etag);
    updates.microseconds.push_back(
        duration_of([&] { etag = client.exchange(request).header("ETag"); }).count());
    if (etag.empty()) throw std::runtime_error("an update was answered without ETag");
  }
  add_unless_warming_up("conditional update, c=1", Microseconds(updates.median()));

  std::vector<std::string> transactions;
  for (std::size_t i = 0; i < 50; ++i, inserted_ += kTransaction)
    transactions.push_back(transaction_request(kInserts, inserted_, kTransaction));
  const auto time = duration_of([&] {
    for (const auto& transaction : transactions) client.exchange(transaction);
  });
  if (round >= 0)
    report_.add("transactions of 100, c=1, entities", Unit::PerSecond, target.name(),
                static_cast<double>(transactions.size() * kTransaction) * 1e6 / time.count());
}

// --- Many connections --------------------------------------------------------------------------------------

// Starts a server that sends the first target's responses, byte for byte.
std::unique_ptr<Endpoint> Bench::start_bare_server() {
  const Endpoint& first = *options_.targets.front();
  const std::filesystem::path answers = options_.folder / "answers";
  std::filesystem::create_directories(answers);
  const std::string table = table_of(middle_of(first));
  HttpClient client(first.port());
  for (const auto& [method, request] :
       {std::pair{"GET", get_request(table, 1)}, std::pair{"POST", insert_request(kInserts, inserted_++)},
        std::pair{"PUT", write_request("PUT", table, 1)},
        std::pair{"MERGE", write_request("MERGE", table, 1)}})
    std::ofstream(answers / method, std::ios::binary) << client.exchange(request).raw;
  auto server = std::make_unique<Endpoint>(kBareServer,
                                           options_.bare_server.string() + " {port} " + answers.string() +
                                               " " + std::to_string(std::thread::hardware_concurrency()),
                                           options_.folder / "bare");
  server->start();
  return server;
}

// `make` returns the request with this number. `once`: a request cannot be sent again, so numbers continue.
// `size`: leaves out targets without a table of that size.
void Bench::many_connections(const std::string& scenario, const std::function<std::string(std::size_t)>& make,
                             std::optional<std::size_t> size, bool once) {
  for (int round = 0; round < options_.rounds; ++round) {
    each([&](Endpoint& target) {
      const auto sizes = sizes_of(target);
      if (size && target.name() != kBareServer && std::ranges::find(sizes, *size) == sizes.end()) return;
      std::vector<std::string> requests((once ? 5 : 1) * kRequestsPrepared);
      for (auto& request : requests) request = make(once ? inserted_++ : random_());
      std::size_t next = 0;
      const LoadResult result =
          load(target.port(), kConnections, options_.round_time, [&]() -> std::string_view {
            if (next == requests.size() && once) return {};
            return requests[next++ % requests.size()];
          });
      report_.add(scenario, Unit::PerSecond, target.name(), result.rate());
      report_.add_latencies(scenario, target.name(), result.latencies);
    });
  }
}

void Bench::many_connections() {
  if (!options_.bare_server.empty()) options_.targets.push_back(start_bare_server());
  const std::size_t middle = middle_of(*options_.targets.front());
  const std::string table = table_of(middle);
  // Maps consecutive numbers to different partitions.
  const auto spread = [](std::size_t number) { return 100'000'000 + number * 10'007 % 100'000'000; };
  for (const std::size_t size : options_.sizes)
    if (size >= middle)
      many_connections(
          "point of " + count_text(size) + ", c=32",
          [&](std::size_t i) { return get_request(table_of(size), i % size); }, size);
  many_connections(
      "insert, c=32", [&](std::size_t i) { return insert_request(kInserts, spread(i)); }, {}, true);
  many_connections("insert-or-replace, c=32",
                   [&](std::size_t i) { return write_request("PUT", table, i % middle); });
  many_connections("merge, c=32", [&](std::size_t i) { return write_request("MERGE", table, i % middle); });
  if (!options_.bare_server.empty()) options_.targets.pop_back();
  many_connections("8 points, a replacement, a range of 100, c=32", [&](std::size_t i) {
    if (i % 10 == 0) return write_request("PUT", table, i / 10 % middle);
    if (i % 10 == 1) return query_request(table, row_range_filter(first_of_range(random_, middle)));
    return get_request(table, i / 10 % middle);
  });
}

// Measures point reads of many connections, first without other load, then while one more connection scans
// the largest table repeatedly.
void Bench::fairness(const Endpoint& target) {
  const std::size_t size = sizes_of(target).back();
  std::vector<std::string> requests(kRequestsPrepared);
  for (auto& request : requests) request = get_request(table_of(size), random_() % size);
  std::size_t next = 0;
  const auto read = [&] {
    return load(target.port(), kConnections, options_.round_time,
                [&] { return std::string_view(requests[next++ % requests.size()]); })
        .latencies.quantile(0.99);
  };
  if (target.is_started_here()) target.process().reset_peak();
  const long before = target.is_started_here() ? target.process().resident() : 0;
  for (int round = 0; round < options_.rounds; ++round) {
    add("p99 of points, c=32, alone", target, Microseconds(read()));
    std::jthread scans([&](const std::stop_token& stop) {
      HttpClient client(target.port());
      while (!stop.stop_requested())
        require(query_all(client, table_of(size), kNoMatchFilter), 0, "the scan");
    });
    add("p99 of points, c=32, beside a scan of " + count_text(size), target, Microseconds(read()));
  }
  if (target.is_started_here())
    report_.add("memory, growth during these scans", Unit::Mebibytes, target.name(),
                static_cast<double>(target.process().peak() - before) / 1024);
}

// Measures whether writers stall while RocksDB flushes and compacts.
void Bench::stalls(const Endpoint& target) {
  const std::size_t size = middle_of(target);
  std::vector<std::string> requests(kRequestsPrepared);
  for (auto& request : requests) request = write_request("PUT", table_of(size), random_() % size);
  std::size_t next = 0;
  const LoadResult result = load(target.port(), kConnections, options_.long_time,
                                 [&] { return std::string_view(requests[next++ % requests.size()]); });
  const std::string scenario =
      "the longest of " + std::to_string(options_.long_time.count()) + " s of insert-or-replace, c=32";
  add(scenario, target, Microseconds(std::ranges::max(result.latencies.microseconds)));
}

// Measures the cost of TLS for a point read and of `--sync` for an insert, against the same without; each in
// a new store.
void Bench::prices(const Endpoint& target) {
  if (!target.is_started_here()) return;
  const std::filesystem::path folder = options_.folder / "prices";
  Endpoint plain(target.name(), target.command(), folder / "plain");
  Endpoint tls(target.name(), target.command() + " --tls auto", folder / "tls", Transport::Tls);
  Endpoint sync(target.name(), target.command() + " --sync", folder / "sync");
  pin_to_one_core(true);
  for (Endpoint* variant : {&plain, &tls, &sync}) {
    variant->start();
    HttpClient client(variant->port(), variant->transport());
    client.exchange(create_table_request(kInserts));
    client.exchange(transaction_request(kInserts, 0, kTransaction));
  }
  for (int round = 0; round < options_.rounds; ++round) {
    price(plain, "");
    price(tls, ", TLS");
    price(sync, ", --sync");
  }
  pin_to_one_core(false);
  for (Endpoint* variant : {&plain, &tls, &sync}) variant->stop();
}

void Bench::price(const Endpoint& variant, const std::string& suffix) {
  HttpClient client(variant.port(), variant.transport());
  add("point of 100, c=1" + suffix, variant,
      median_of_round(client, [&] { return get_request(kInserts, random_() % kTransaction); }));
  add("insert, c=1" + suffix, variant,
      median_of_round(client, [&] { return insert_request(kInserts, 200'000'000 + inserted_++); }));
}

void Bench::deletion(const Endpoint& target) {
  for (const std::size_t size : sizes_of(target)) {
    HttpClient client(target.port());
    const std::string request = delete_table_request(table_of(size));
    add("delete a table of " + count_text(size), target, duration_of([&] { client.exchange(request); }));
  }
}

// --- RocksDB by itself -------------------------------------------------------------------------------------

// Iterates the same rows in the store of the first target (stopped meanwhile), and writes rows of the same
// size beside it.
void Bench::bare_store(Endpoint& target) {
  if (!target.is_started_here() || !std::filesystem::exists(target.folder() / kStoreFolder)) return;
  target.stop();
  const std::filesystem::path store = target.folder() / kStoreFolder, beside = options_.folder / "bare-store";
  const auto sizes = sizes_of(target);
  for (int round = 0; round < options_.rounds; ++round) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] < kMiddle && sizes[i] != middle_of(target)) continue;
      BareIteration iteration(store, i + 1);
      const auto time = duration_of([&] { require(iteration.run(), sizes[i], "RocksDB"); });
      report_.add("table scan, 10 of " + count_text(sizes[i]), Unit::Microseconds, kBareStore, time.count());
      if (sizes[i] == middle_of(target))
        report_.add("paging through " + count_text(sizes[i]), Unit::Microseconds, kBareStore, time.count());
    }
    pin_to_one_core(true);  // includes flushes, as the row for comparison does
    report_.add("transactions of 100, c=1, entities", Unit::PerSecond, kBareStore,
                bare_write_rate(store, beside, 500));
    pin_to_one_core(false);
    std::filesystem::remove_all(beside);
  }
  target.start();
}

}  // namespace

Report bench_http(HttpBenchOptions options) { return Bench(std::move(options)).run(); }

}  // namespace rocktable
