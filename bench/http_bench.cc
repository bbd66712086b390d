// The scenarios over HTTP, grouped by what they need: starts, one connection, many connections, RocksDB.
#include "bench/http_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "base/uri.h"
#include "bench/bare_store.h"
#include "bench/http_client.h"
#include "bench/requests.h"
#include "bench/sample_entities.h"
#include "bench/stopwatch.h"

namespace rocktable {
namespace {

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
constexpr std::size_t kKnownInsert = 900'000'000;   // an entity of that table from the start on
constexpr std::size_t kTransactionsARound = 3'000;  // of 140 KB each, in memory

std::string table_of(std::size_t size) { return "entities" + std::to_string(size); }

std::string count_text(std::size_t count) {
  if (count % 1'000'000 == 0) return std::to_string(count / 1'000'000) + "M";
  if (count % 1'000 == 0) return std::to_string(count / 1'000) + "k";
  return std::to_string(count);
}

// Searches for a rare letter first, because quotes are frequent.
std::size_t count_rows(std::string_view body) {
  constexpr std::string_view kName = "RowKey\":";
  std::size_t count = 0;
  for (auto at = body.find(kName); at != body.npos; at = body.find(kName, at + kName.size())) ++count;
  return count;
}

// Reads all pages of a query. Returns the number of entities. Measures only the exchanges: the request of a page
// needs the previous page, so it cannot be created in advance.
std::size_t query_all(HttpClient& client, const std::string& table, std::string_view filter, Stopwatch& stopwatch) {
  std::size_t found = 0;
  for (std::string tokens;;) {
    const std::string request = query_request(table, filter, tokens);
    HttpResponse answer;
    stopwatch.run([&] { answer = client.exchange(request); });
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
  throw std::runtime_error(what + " found " + std::to_string(found) + " entities, not " + std::to_string(expected));
}

// A load of many connections. All targets get the same requests, in each round others.
struct Load {
  std::string name;
  std::function<std::string(std::size_t)> make;  // returns the request with this number
  std::optional<std::size_t> size = {};          // leaves out targets without a table of that size
  bool once = false;                             // a target accepts a request only once, so numbers continue
  std::size_t prepared = kRequestsPrepared;      // if `once`, a round ends after so many
  std::size_t entities = 1;                      // of a request
};

struct MeasuredLoad : LoadResult {
  std::optional<CpuTimes> cpu;
};

// Runs load(), and takes the CPU time meanwhile.
MeasuredLoad measured_load(const Endpoint& target, std::chrono::milliseconds time,
                           const std::function<std::string_view()>& next) {
  LoadResult result;
  Stopwatch stopwatch(target);
  stopwatch.run([&] { result = load(target.port(), kConnections, time, next); });
  return {std::move(result), stopwatch.cpu()};
}

// One run of all scenarios.
class Bench {
 public:
  explicit Bench(HttpBenchOptions options) : options_(std::move(options)), report_(columns()) {}

  Report run() {
    each([&](Endpoint& target) { live_through(target); });
    pin_to_one_core(true);
    for (int round = 0; round < options_.rounds; ++round) each([&](Endpoint& target) { fresh_scan(target); });
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
    each([&](Endpoint& target) { deletion(target); });
    many_transactions();
    each([](Endpoint& target) { target.stop(); });
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
    const auto largest = options_.largest.find(target.name());
    std::vector<std::size_t> out;
    for (const std::size_t size : options_.sizes)
      if (largest == options_.largest.end() || size <= largest->second) out.push_back(size);
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

  void add(const std::string& scenario, const Endpoint& target, Microseconds time, const std::optional<CpuTimes>& cpu) {
    report_.add(scenario, Unit::Microseconds, target.name(), time.count(), cpu);
  }

  void add(const std::string& scenario, const Endpoint& target, const Stopwatch& stopwatch) {
    add(scenario, target, stopwatch.time(), stopwatch.cpu());
  }

  // Adds the median of a round of requests. All requests are created in advance. `scenario`: empty while warming
  // up.
  void add_median(const std::string& scenario, const Endpoint& target, HttpClient& client,
                  const std::function<std::string()>& make);

  // Measures starts, stops, memory and disk, from the first start until all tables are stored.
  void live_through(Endpoint& target);
  void fill(const Endpoint& target, std::size_t size);
  // Scans a partition with a server that has read nothing of it since its start.
  void fresh_scan(Endpoint& target);
  // Client and servers share one core. Round -1 is for warming up.
  void one_connection(Endpoint& target, int round);
  void many_connections();
  void many_connections(const Load& scenario);
  void many_transactions();
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
    Stopwatch stopwatch(target);
    stopwatch.run([&] { target.start(); });
    add("start, empty", target, stopwatch);
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
  for (const auto& request : {create_table_request(kInserts), insert_request(kInserts, kKnownInsert)})
    HttpClient(target.port()).exchange(request);  // a connection would delay the stop
  if (!target.is_started_here()) return;
  std::this_thread::sleep_for(kSettle);
  add("stop", target, target.stop(), std::nullopt);
  report_.add("disk, an entity", Unit::Bytes, target.name(),
              static_cast<double>(bytes_in(target.folder())) / static_cast<double>(entities));
  for (int round = 0; round < options_.rounds; ++round) {
    Stopwatch stopwatch(target);
    stopwatch.run([&] { target.start(); });
    add("start, " + count_text(sizes_of(target).back()) + " stored", target, stopwatch);
    target.stop();
  }
}

// --- One connection ----------------------------------------------------------------------------------------

void Bench::add_median(const std::string& scenario, const Endpoint& target, HttpClient& client,
                       const std::function<std::string()>& make) {
  std::vector<std::string> requests(kRequestsARound);
  std::ranges::generate(requests, make);
  Samples samples;
  Stopwatch stopwatch(target);
  stopwatch.run([&] {
    for (const auto& request : requests)
      samples.microseconds.push_back(duration_of([&] { client.exchange(request); }).count());
  });
  if (!scenario.empty()) add(scenario, target, Microseconds(samples.median()), stopwatch.cpu());
}

void Bench::fresh_scan(Endpoint& target) {
  if (!target.is_started_here()) return;
  target.stop();
  target.start();
  const std::size_t middle = middle_of(target), whole = std::min(middle, kPartitionRows);
  HttpClient client(target.port());
  // The first request of a server costs more, in any table.
  client.exchange(get_request(kInserts, kKnownInsert));
  Stopwatch stopwatch(target);
  require(query_all(client, table_of(middle), partition_filter(0), stopwatch), (whole + 992) / 1'000,
          "the partition scan");
  add("partition scan, 10 of " + count_text(whole) + ", fresh after a restart", target, stopwatch);
}

void Bench::one_connection(Endpoint& target, int round) {
  HttpClient client(target.port());
  const auto median = [&](const std::string& scenario, const std::function<std::string()>& make) {
    add_median(round >= 0 ? scenario : "", target, client, make);
  };
  const auto query = [&](const std::string& scenario, const std::string& table, std::string_view filter,
                         std::size_t expected) {
    Stopwatch stopwatch(target);
    require(query_all(client, table, filter, stopwatch), expected, scenario);
    if (round >= 0) add(scenario, target, stopwatch);
  };
  for (const std::size_t size : sizes_of(target)) {
    const std::string table = table_of(size), of = " of " + count_text(size);
    median("point" + of + ", c=1", [&] { return get_request(table, random_() % size); });
    median("range of 100" + of + ", c=1",
           [&] { return query_request(table, row_range_filter(first_of_range(random_, size))); });
    if (size < kMiddle && size != middle_of(target)) continue;
    query("table scan, 10" + of, table, kTableFilter, kKept);
    Stopwatch not_used(target);
    for (int i = 0; i < 3; ++i) query_all(client, table, kTableFilter, not_used);
    query("table scan, 10" + of + ", again", table, kTableFilter, kKept);
  }
  const std::size_t middle = middle_of(target), whole = std::min(middle, kPartitionRows);
  const std::string table = table_of(middle);
  for (const Signing signing : {Signing::SharedKey, Signing::Sas})
    median(signing == Signing::Sas ? "point, c=1, SAS" : "point, c=1, Shared Key",
           [&] { return get_request(table, random_() % middle, signing); });
  query("partition scan, 10 of " + count_text(whole), table, partition_filter(0), (whole + 992) / 1'000);
  query("paging through " + count_text(middle), table, "", middle);

  std::string etag = "*";
  Samples updates;
  Stopwatch update_times(target);
  for (std::size_t i = 0; i < kRequestsARound; ++i) {
    const std::string request = write_request("PUT", table, 0, etag);
    HttpResponse answer;
    updates.microseconds.push_back(update_times.run([&] { answer = client.exchange(request); }).count());
    etag = answer.header("ETag");
    if (etag.empty()) throw std::runtime_error("an update was answered without ETag");
  }
  if (round >= 0) add("conditional update, c=1", target, Microseconds(updates.median()), update_times.cpu());

  std::vector<std::string> transactions;
  for (std::size_t i = 0; i < 50; ++i, inserted_ += kTransaction)
    transactions.push_back(transaction_request(kInserts, inserted_, kTransaction));
  Stopwatch stopwatch(target);
  stopwatch.run([&] {
    for (const auto& transaction : transactions) client.exchange(transaction);
  });
  if (round >= 0)
    report_.add("transactions of 100, c=1, entities", Unit::PerSecond, target.name(),
                static_cast<double>(transactions.size() * kTransaction) * 1e6 / stopwatch.time().count(),
                stopwatch.cpu());
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
        std::pair{"PUT", write_request("PUT", table, 1)}, std::pair{"MERGE", write_request("MERGE", table, 1)}})
    std::ofstream(answers / method, std::ios::binary) << client.exchange(request).raw;
  auto server = std::make_unique<Endpoint>(kBareServer,
                                           options_.bare_server.string() + " {port} " + answers.string() + " " +
                                               std::to_string(std::thread::hardware_concurrency()),
                                           options_.folder / "bare");
  server->start();
  return server;
}

void Bench::many_connections(const Load& scenario) {
  for (int round = 0; round < options_.rounds; ++round) {
    std::vector<std::string> requests(scenario.prepared);
    for (auto& request : requests) request = scenario.make(scenario.once ? inserted_++ : random_());
    each([&](Endpoint& target) {
      const auto sizes = sizes_of(target);
      if (scenario.size && target.name() != kBareServer && std::ranges::find(sizes, *scenario.size) == sizes.end())
        return;
      std::size_t next = 0;
      const MeasuredLoad result = measured_load(target, options_.round_time, [&]() -> std::string_view {
        if (next == requests.size() && scenario.once) return {};
        return requests[next++ % requests.size()];
      });
      report_.add(scenario.name, Unit::PerSecond, target.name(), result.rate() * static_cast<double>(scenario.entities),
                  result.cpu);
      report_.add_latencies(scenario.name, target.name(), result.latencies);
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
      many_connections({.name = "point of " + count_text(size) + ", c=32",
                        .make = [&](std::size_t i) { return get_request(table_of(size), i % size); },
                        .size = size});
  many_connections({.name = "insert, c=32",
                    .make = [&](std::size_t i) { return insert_request(kInserts, spread(i)); },
                    .once = true,
                    .prepared = 5 * kRequestsPrepared});
  many_connections({.name = "insert-or-replace, c=32",
                    .make = [&](std::size_t i) { return write_request("PUT", table, i % middle); }});
  many_connections(
      {.name = "merge, c=32", .make = [&](std::size_t i) { return write_request("MERGE", table, i % middle); }});
  if (!options_.bare_server.empty()) options_.targets.pop_back();
  many_connections({.name = "8 points, a replacement, a range of 100, c=32", .make = [&](std::size_t i) {
                      if (i % 10 == 0) return write_request("PUT", table, i / 10 % middle);
                      if (i % 10 == 1) return query_request(table, row_range_filter(first_of_range(random_, middle)));
                      return get_request(table, i / 10 % middle);
                    }});
}

// Runs last: it stores up to 1.5 million entities, so compactions go on afterwards.
void Bench::many_transactions() {
  // Maps consecutive numbers to different partitions, beyond those of all other inserts.
  const auto first_entity = [](std::size_t number) {
    return 1'000'000'000 + number * 10'007 % 1'000'000 * kTransaction;
  };
  many_connections({.name = "transactions of 100, c=32, entities",
                    .make = [&](std::size_t i) { return transaction_request(kInserts, first_entity(i), kTransaction); },
                    .once = true,
                    .prepared = kTransactionsARound,
                    .entities = kTransaction});
}

// Measures point reads of many connections, first without other load, then while one more connection scans
// the largest table repeatedly.
void Bench::fairness(const Endpoint& target) {
  const std::size_t size = sizes_of(target).back();
  std::vector<std::string> requests(kRequestsPrepared);
  for (auto& request : requests) request = get_request(table_of(size), random_() % size);
  std::size_t next = 0;
  const auto read = [&](const std::string& scenario) {
    const MeasuredLoad result = measured_load(target, options_.round_time,
                                              [&] { return std::string_view(requests[next++ % requests.size()]); });
    add("p99 of points, c=32, " + scenario, target, Microseconds(result.latencies.quantile(0.99)), result.cpu);
  };
  if (target.is_started_here()) target.process().reset_peak();
  const long before = target.is_started_here() ? target.process().resident() : 0;
  for (int round = 0; round < options_.rounds; ++round) {
    read("alone");
    std::jthread scans([&](const std::stop_token& stop) {
      HttpClient client(target.port());
      Stopwatch not_used(target);
      while (!stop.stop_requested())
        require(query_all(client, table_of(size), kNoMatchFilter, not_used), 0, "the scan");
    });
    read("beside a scan of " + count_text(size));
  }
  if (target.is_started_here())
    report_.add("memory, growth during these scans", Unit::Mebibytes, target.name(),
                static_cast<double>(target.process().peak() - before) / 1024);
}

// Measures whether writers stall while RocksDB flushes and compacts: as fast as possible, and at a steady rate.
void Bench::stalls(const Endpoint& target) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  const std::size_t size = middle_of(target);
  std::vector<std::string> requests(kRequestsPrepared);
  for (auto& request : requests) request = write_request("PUT", table_of(size), random_() % size);
  const auto measure = [&](const std::string& what, std::optional<double> per_second) {
    std::size_t sent = 0;
    const auto start = Clock::now();
    const MeasuredLoad result = measured_load(target, options_.long_time, [&]() -> std::string_view {
      if (per_second)
        std::this_thread::sleep_until(
            start + std::chrono::duration_cast<Clock::duration>(Seconds(static_cast<double>(sent) / *per_second)));
      return requests[sent++ % requests.size()];
    });
    const std::string scenario =
        "the longest of " + std::to_string(options_.long_time.count()) + " s of insert-or-replace, c=32" + what;
    add(scenario, target, Microseconds(std::ranges::max(result.latencies.microseconds)), result.cpu);
    report_.add_latencies(scenario, target.name(), result.latencies);
    return result.rate();
  };
  constexpr double kShare = 0.8;
  const double highest = measure("", std::nullopt);
  measure(", at 80 % of that rate", kShare * highest);
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
  add_median("point of 100, c=1" + suffix, variant, client,
             [&] { return get_request(kInserts, random_() % kTransaction); });
  add_median("insert, c=1" + suffix, variant, client,
             [&] { return insert_request(kInserts, 200'000'000 + inserted_++); });
}

void Bench::deletion(const Endpoint& target) {
  for (const std::size_t size : sizes_of(target)) {
    HttpClient client(target.port());
    const std::string request = delete_table_request(table_of(size));
    Stopwatch stopwatch(target);
    stopwatch.run([&] { client.exchange(request); });
    add("delete a table of " + count_text(size), target, stopwatch);
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
    report_.add("transactions of 100, c=1, entities", Unit::PerSecond, kBareStore, bare_write_rate(store, beside, 500));
    pin_to_one_core(false);
    std::filesystem::remove_all(beside);
  }
  target.start();
}

}  // namespace

Report bench_http(HttpBenchOptions options) { return Bench(std::move(options)).run(); }

}  // namespace rocktable
