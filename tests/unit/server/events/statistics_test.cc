// Statistics: sums by key, the limit of keys, and running requests.
#include "server/events/statistics.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "odata/protocol/development_account.h"
#include "server/control/control.h"
#include "server/emulator.h"
#include "tests/unit/support/opened_store.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

const StatisticsKey kKey{"acct", "people", "QueryEntities", "row-range"};

nlohmann::json rows_of(const Statistics& statistics) { return statistics.to_json().at("counters"); }

// The row of this key; null if there is none.
nlohmann::json row_of(const Statistics& statistics, const StatisticsKey& key) {
  for (const auto& row : rows_of(statistics))
    if (row.at("account") == key.account && row.at("table") == key.table && row.at("operation") == key.operation &&
        row.at("plan") == key.plan_class)
      return row;
  return nullptr;
}

RequestStats read(std::uint64_t ranges, std::uint64_t scanned, std::uint64_t returned, std::uint64_t bytes,
                  std::chrono::nanoseconds time) {
  return {ranges, scanned, returned, bytes, time, {}};
}

}  // namespace

TEST_CASE("statistics: no counters at the start") { CHECK(Statistics().to_json().dump() == R"({"counters":[]})"); }

TEST_CASE("statistics: each counter adds up, and has its name in the response") {
  Statistics statistics;
  const Counters counters{1, 2, 3, 4, 5, 6, 7, 8, 9'500ns};
  statistics.add(kKey, counters);
  statistics.add(kKey, counters);
  CHECK(rows_of(statistics) == nlohmann::json::array({{{"account", "acct"},
                                                       {"table", "people"},
                                                       {"operation", "QueryEntities"},
                                                       {"plan", "row-range"},
                                                       {"requests", 2},
                                                       {"continuations", 4},
                                                       {"errors", 6},
                                                       {"ranges", 8},
                                                       {"entitiesScanned", 10},
                                                       {"entitiesReturned", 12},
                                                       {"bytesRead", 14},
                                                       {"bytesSent", 16},
                                                       {"storageMicroseconds", 19.0}}}));
}

TEST_CASE("statistics: requests of several keys in turn are counted under their own") {
  Statistics statistics;
  const StatisticsKey other{"acct", "people", "QueryEntities", "row-list"};
  for (int i = 0; i < 3; ++i) {
    statistics.add(kKey, {.requests = 1});
    statistics.add(kKey, {.requests = 1});
    statistics.add(other, {.requests = 10});
  }
  CHECK(row_of(statistics, kKey).at("requests") == 6);
  CHECK(row_of(statistics, other).at("requests") == 30);
}

TEST_CASE("statistics: account, table, operation and plan are counted separately, and sorted") {
  Statistics statistics;
  const StatisticsKey keys[] = {{"b", "t", "GetEntity", "point"},         {"a", "u", "GetEntity", "point"},
                                {"a", "t", "QueryEntities", "row-range"}, {"a", "t", "QueryEntities", "point"},
                                {"a", "t", "GetEntity", "point"},         {"a", "", "CreateTable", ""}};
  for (const StatisticsKey& key : keys) statistics.add(key, {.requests = 1});
  std::string sorted;
  for (const auto& row : rows_of(statistics))
    sorted += row.at("account").get<std::string>() + "/" + row.at("table").get<std::string>() + "/" +
              row.at("operation").get<std::string>() + "/" + row.at("plan").get<std::string>() + " " +
              row.at("requests").dump() + "\n";
  CHECK(sorted ==
        "a//CreateTable/ 1\n"
        "a/t/GetEntity/point 1\n"
        "a/t/QueryEntities/point 1\n"
        "a/t/QueryEntities/row-range 1\n"
        "a/u/GetEntity/point 1\n"
        "b/t/GetEntity/point 1\n");
}

TEST_CASE("statistics: after ten thousand keys, new keys are counted together, known ones separately") {
  constexpr int kKeys = 10'000;
  Statistics statistics;
  const auto table = [](int number) {
    return StatisticsKey{"acct", "t" + std::to_string(number), "GetEntity", "point"};
  };
  for (int i = 0; i < kKeys; ++i) statistics.add(table(i), {.requests = 1});
  REQUIRE(rows_of(statistics).size() == kKeys);
  CHECK(row_of(statistics, {"*", "*", "GetEntity", "point"}) == nullptr);

  for (int i = 0; i < 500; ++i) statistics.add(table(kKeys + i), {.requests = 1});
  statistics.add({"other", "t", "QueryEntities", "table-scan"}, {.requests = 1});
  statistics.add(table(kKeys - 1), {.requests = 1});
  CHECK(rows_of(statistics).size() == kKeys + 2);
  CHECK(row_of(statistics, {"*", "*", "GetEntity", "point"}).at("requests") == 500);
  CHECK(row_of(statistics, {"*", "*", "QueryEntities", "table-scan"}).at("requests") == 1);
  CHECK(row_of(statistics, table(kKeys - 1)).at("requests") == 2);
  CHECK(row_of(statistics, table(kKeys)) == nullptr);
}

TEST_CASE("statistics: counts of concurrent threads are all included") {
  Statistics statistics;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          statistics.add(kKey, {.requests = 1, .bytes_read = 10});
          if (i % 100 == 0) (void)statistics.to_json();
        }
      });
  }
  CHECK(row_of(statistics, kKey).at("requests") == 4000);
  CHECK(row_of(statistics, kKey).at("bytesRead") == 40'000);
}

TEST_CASE("statistics: a key of one thread is known to all threads, beyond the limit, too") {
  constexpr int kKeys = 10'000;
  Statistics statistics;
  const auto count_all = [&statistics] {
    for (int i = 0; i < kKeys; ++i)
      statistics.add({"acct", "t" + std::to_string(i), "GetEntity", "point"}, {.requests = 1});
  };
  for (int thread = 0; thread < 3; ++thread) std::jthread(count_all).join();
  CHECK(rows_of(statistics).size() == kKeys);
  CHECK(row_of(statistics, {"acct", "t9999", "GetEntity", "point"}).at("requests") == 3);
}

TEST_CASE("running request: its cost shows at once, and is counted once") {
  Statistics statistics;
  RequestEvent event;
  event.key = &kKey;
  RunningScanCounter live(statistics, kKey, event.counted_reads);
  const std::chrono::steady_clock::time_point start{1h};
  live.update(read(1, 64, 10, 6'400, 1'000ns), start);
  CHECK(row_of(statistics, kKey).at("entitiesScanned") == 64);
  CHECK(row_of(statistics, kKey).at("requests") == 0);          // no response yet
  live.update(read(1, 100, 15, 10'000, 1'500ns), start + 4ms);  // too early for an update
  CHECK(row_of(statistics, kKey).at("entitiesScanned") == 64);
  live.update(read(1, 128, 20, 12'800, 2'000ns), start + 5ms);
  live.update(read(1, 128, 20, 12'800, 2'000ns), start + 10ms);
  CHECK(row_of(statistics, kKey).at("entitiesScanned") == 128);
  event.reads = read(2, 130, 21, 13'000, 3'000ns);
  event.status = 200;
  event.continues = true;
  event.body_bytes = 777;
  statistics.record(event);

  const auto row = row_of(statistics, kKey);
  CHECK(row.at("requests") == 1);
  CHECK(row.at("continuations") == 1);
  CHECK(row.at("errors") == 0);
  CHECK(row.at("ranges") == 2);
  CHECK(row.at("entitiesScanned") == 130);
  CHECK(row.at("entitiesReturned") == 21);
  CHECK(row.at("bytesRead") == 13'000);
  CHECK(row.at("bytesSent") == 777);
  CHECK(row.at("storageMicroseconds") == 3.0);
}

TEST_CASE("statistics: an error is a status of 400 and above") {
  const struct {
    int status, errors;
  } cases[] = {{200, 0}, {204, 0}, {304, 0}, {399, 0}, {400, 1}, {404, 1}, {412, 1}, {500, 1}, {503, 1}};
  for (const auto& c : cases) {
    CAPTURE(c.status);
    Statistics statistics;
    RequestEvent event;
    event.key = &kKey;
    event.status = c.status;
    statistics.record(event);
    CHECK(row_of(statistics, kKey).at("errors") == c.errors);
    CHECK(row_of(statistics, kKey).at("continuations") == 0);
  }
}

// Text in the place of an account, before the account is checked, must neither fill the statistics nor get
// into a JSON document, which must not contain bytes that are not UTF-8.
TEST_CASE("statistics: requests to unknown accounts are counted together") {
  OpenedStore store({{}, true, false});
  Emulator emulator(store, {{std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}}});
  const std::string body, hosts = "localhost";
  std::atomic<bool> hung_up = false;
  MemoryBudget answers(256 << 20);
  MemoryBudget::Share memory(answers);
  const auto send = [&](std::string_view target) {
    Request request{"GET", target, {}, &body, "127.0.0.1"};
    request.headers.add("Host", hosts);
    CallHolder call;
    emulator.service().accept(request, call);
    Response response = call->run(hung_up, memory);
    emulator.tables().statistics.record(call->event(response, {}));
    return response;
  };
  for (const std::string_view target : {"/\xFF\xFE/people()", "/nobody/people()", "/devstoreaccount1/people()", "/"}) {
    CAPTURE(target);
    CHECK(send(target).status >= 400);
  }
  const Response stats = send("/_rocktable/stats");
  CHECK(stats.status == 200);
  const auto rows = nlohmann::json::parse(stats.body).at("counters");
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().at("account") == "");
  CHECK(rows.front().at("operation") == "Refused");
  CHECK(rows.front().at("requests") == 4);
  CHECK(rows.front().at("errors") == 4);
}

}  // namespace rocktable::TEST_FILE
