// Each detector: what it finds, and what is nearly the same but right.
#include <doctest/doctest.h>

#include "odata/insight/number_padding.h"
#include "server/insight/access_runs.h"
#include "server/insight/key_order.h"
#include "server/insight/open_pages.h"
#include "server/insight/partition_walk.h"
#include "server/insight/repeated_reads.h"
#include "server/insight/top_partitions.h"

namespace rocktable::TEST_FILE {
namespace {

AccessRuns::Access read_of(std::uint64_t partition, std::uint64_t row) {
  return {AccessRuns::Step::PointRead, partition, row, "de", "GET", "/account/orders(...)", "client/1"};
}

}  // namespace

TEST_CASE("twenty point reads in one partition are a run") {
  AccessRuns runs;
  for (std::uint64_t row = 1; row <= 20; ++row) runs.add(read_of(1, row));
  const Evidence found = runs.point_reads();
  CHECK(found.count == 20);
  CHECK(found.subject == "de");
  CHECK(found.example == "GET /account/orders(...)");
  CHECK(found.client == "client/1");
  CHECK(runs.single_writes().count == 0);
}

TEST_CASE("these are not a run") {
  AccessRuns runs;
  SUBCASE("one read too few") {
    for (std::uint64_t row = 1; row <= 19; ++row) runs.add(read_of(1, row));
  }
  SUBCASE("the same row again and again") {
    for (int i = 0; i < 1000; ++i) runs.add(read_of(1, 1));
  }
  SUBCASE("rows of several partitions") {
    for (std::uint64_t row = 1; row <= 100; ++row) runs.add(read_of(row % 2, row));
  }
  SUBCASE("reads between queries") {
    for (std::uint64_t row = 1; row <= 100; ++row) {
      runs.add(read_of(1, row));
      if (row % 10 == 0) runs.interrupt();
    }
  }
  CHECK(runs.point_reads().count == 0);
  CHECK(runs.single_writes().count == 0);
}

TEST_CASE("a read and then a write of one entity after the other are two runs") {
  AccessRuns runs;
  for (std::uint64_t row = 1; row <= 60; ++row) {
    auto access = read_of(1, row);
    runs.add(access);
    access.step = AccessRuns::Step::SingleWrite;
    runs.add(access);
  }
  CHECK(runs.point_reads().count == 60);
  CHECK(runs.single_writes().count == 60);
}

TEST_CASE("reads through partitions in the order of their keys are a walk, up or down") {
  for (const int step : {1, -1}) {
    CAPTURE(step);
    PartitionWalk walk;
    for (int i = 0; i < 40; ++i) walk.add({std::to_string(500 + step * i), "GET", "/a/orders()", "client/1"});
    CHECK(walk.walks().count == 40);
    CHECK(walk.walks().subject == std::to_string(500 + step * 39));
    CHECK(walk.walks().client == "client/1");
  }
}

TEST_CASE("these are not a walk") {
  PartitionWalk walk;
  const auto add = [&](int partition) { walk.add({std::to_string(1'000 + partition), "GET", "/", ""}); };
  SUBCASE("one too few") {
    for (int i = 0; i < 19; ++i) add(i);
  }
  SUBCASE("no order") {
    for (int i = 0; i < 1'000; ++i) add(i * 7919 % 1000);
  }
  SUBCASE("one partition") {
    for (int i = 0; i < 100; ++i) add(1);
  }
  SUBCASE("other requests between") {
    for (int i = 0; i < 100; ++i) {
      add(i);
      if (i % 10 == 0) walk.interrupt();
    }
  }
  CHECK(walk.walks().count == 0);
}

TEST_CASE("an entity that is read fifty times, and is not written in between") {
  RepeatedReads reads;
  const auto read = [&](std::uint64_t entity, std::string_view row) {
    reads.add({entity, "p", row, "GET", "/", "client/1"});
  };
  for (int i = 0; i < 49; ++i) read(1, "a");
  CHECK_FALSE(reads.most());
  SUBCASE("it is found") {
    read(1, "a");
    REQUIRE(reads.most());
    CHECK(reads.most()->count == 50);
    CHECK(reads.most()->subject == "`p`, `a`");
    for (int i = 0; i < 100; ++i) read(2, "b");
    CHECK(reads.most()->subject == "`p`, `b`");
    CHECK(reads.most()->count == 100);
  }
  SUBCASE("a write begins anew") {
    reads.forget(2);
    reads.forget(1);
    for (int i = 0; i < 49; ++i) read(1, "a");
    CHECK_FALSE(reads.most());
  }
  SUBCASE("one read often stays among many that are read once") {
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      read(100 + i, "other");
      if (i % 8 == 0) read(1, "a");
    }
    REQUIRE(reads.most());
    CHECK(reads.most()->subject == "`p`, `a`");
  }
}

TEST_CASE("runs add up, and the longest is the example") {
  AccessRuns runs;
  for (const auto& [partition, rows] : {std::pair{1, 30}, {2, 50}, {3, 25}}) {
    for (int row = 1; row <= rows; ++row) {
      auto access = read_of(static_cast<std::uint64_t>(partition), static_cast<std::uint64_t>(row));
      access.step = AccessRuns::Step::SingleWrite;
      const std::string name = "p" + std::to_string(partition);
      access.partition_key = name;
      runs.add(access);
    }
  }
  CHECK(runs.single_writes().count == 105);
  CHECK(runs.single_writes().subject == "p2");
}

TEST_CASE("a partition with four fifths of many requests is hot") {
  TopPartitions partitions;
  for (std::uint64_t i = 0; i < 2'500; ++i) {
    const bool is_hot = i % 10 < 8;
    partitions.add(is_hot ? 1 : 1'000 + i, is_hot ? "hot" : "other");
  }
  const auto hot = partitions.hot();
  REQUIRE(hot);
  CHECK(hot->subject == "hot");
  CHECK(static_cast<double>(hot->count) == doctest::Approx(2'000).epsilon(0.05));
}

TEST_CASE("a partition is not hot if it has less, or the table has few requests") {
  TopPartitions partitions;
  SUBCASE("less") {
    for (std::uint64_t i = 0; i < 10'000; ++i) partitions.add(i % 10 < 7 ? 1 : 1'000 + i, "");
  }
  SUBCASE("few") {
    for (std::uint64_t i = 0; i < 1'999; ++i) partitions.add(1, "");
  }
  CHECK_FALSE(partitions.hot());
}

TEST_CASE("partitions that are named by the time are all at one end") {
  KeyOrder order;
  for (int i = 0; i < 60; ++i)
    for (int row = 0; row < 3; ++row) order.add("2026-11-22T10:" + std::to_string(10 + i));
  const auto found = order.one_sided();
  REQUIRE(found);
  CHECK(found->count == 59);
  CHECK(found->subject == "2026-11-22T10:69");
}

TEST_CASE("time that counts backwards is at one end, too") {
  KeyOrder order;
  for (int i = 999; i > 900; --i) order.add(std::to_string(i));
  REQUIRE(order.one_sided());
  CHECK(order.one_sided()->subject == "901");
}

TEST_CASE("partitions in no order, or few, are not at one end") {
  KeyOrder order;
  SUBCASE("none") {
    for (int i = 0; i < 1'000; ++i) order.add(std::to_string(i * 7919 % 1000));
  }
  SUBCASE("few") {
    for (int i = 10; i < 60; ++i) order.add(std::to_string(i));
  }
  SUBCASE("one partition") {
    for (int i = 0; i < 1'000; ++i) order.add("p");
  }
  CHECK_FALSE(order.one_sided());
}

TEST_CASE("numbers of different length in keys are in the wrong order") {
  NumberPadding numbers;
  for (int i = 1; i <= 12; ++i) numbers.add("item" + std::to_string(i));
  const auto found = numbers.unpadded();
  REQUIRE(found);
  CHECK(found->subject == "`item9` and `item10`");
  CHECK(found->count == 12);
}

TEST_CASE("these keys are in order") {
  NumberPadding numbers;
  SUBCASE("padded") {
    for (int i = 1; i <= 100; ++i) numbers.add(std::string(3 - std::to_string(i).size(), '0') + std::to_string(i));
  }
  SUBCASE("of one length") {
    for (int i = 100; i <= 200; ++i) numbers.add("item" + std::to_string(i));
  }
  SUBCASE("few") {
    for (int i = 2; i <= 10; ++i) numbers.add("item" + std::to_string(i));
  }
  SUBCASE("without numbers at the end") {
    for (int i = 1; i <= 100; ++i) numbers.add(std::to_string(i) + "x");
  }
  CHECK_FALSE(numbers.unpadded());
}

TEST_CASE("a page is open until it is continued") {
  OpenPages pages;
  pages.open(1, 7);
  pages.open(2, 7);
  pages.open(3, 8);
  pages.close(1);
  pages.close(4);
  CHECK(pages.by_shape() == std::unordered_map<std::size_t, std::uint64_t>{{7, 1}, {8, 1}});
  pages.forget({7});
  CHECK(pages.by_shape() == std::unordered_map<std::size_t, std::uint64_t>{{8, 1}});
}

TEST_CASE("the oldest open pages are forgotten") {
  OpenPages pages;
  for (std::uint64_t page = 0; page < OpenPages::kMaxPages + 10; ++page) pages.open(page, page < 10 ? 1 : 2);
  CHECK(pages.by_shape() == std::unordered_map<std::size_t, std::uint64_t>{{2, OpenPages::kMaxPages}});
}

}  // namespace rocktable::TEST_FILE
