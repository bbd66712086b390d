// The store: against a model, across reopening, and with several threads at once. That nothing acknowledged
// is lost with a killed process is tested on the program (tests/clients).
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "odata/text.h"
#include "storage/table_store.h"
#include "tests/storage_samples.h"
#include "tests/storage_temporary_folder.h"

namespace rocktable {
namespace {

using namespace std::string_literals;

constexpr TableName kTable{"acct", "table"};
constexpr Condition kNone{};
constexpr Condition kAny{Condition::Kind::Any, {}};

Condition if_match(DateTime etag) { return {Condition::Kind::ETag, etag}; }

TableStore::Deadline far_away() { return std::chrono::steady_clock::now() + std::chrono::hours(1); }
TableStore::Deadline passed() { return std::chrono::steady_clock::now() - std::chrono::seconds(1); }

StoreOptions in_memory() { return {{}, true, false}; }

// --- Reading -----------------------------------------------------------------------------------------------

std::vector<Entity> entities_in(const TableStore& store, const TableName& name,
                                const KeyRanges& ranges = all_keys()) {
  std::vector<Entity> out;
  const auto resume = store.scan(name, ranges, 1'000'000, far_away(), [&](const EntityView& entity) {
    out.push_back(to_entity(entity));
    return true;
  });
  REQUIRE(resume.has_value());
  REQUIRE_FALSE(resume->has_value());
  return out;
}

std::optional<Entity> entity_at(const TableStore& store, const TableName& name, const EntityKey& key) {
  std::optional<Entity> out;
  const auto found = store.get(name, key, [&](const EntityView& entity) { out = to_entity(entity); });
  REQUIRE(found.has_value());
  REQUIRE(*found == out.has_value());
  return out;
}

std::string text_of(const Entity& entity) {
  std::string out = "(" + entity.key.partition_key + "," + entity.key.row_key + ") @" +
                    std::to_string(entity.timestamp.ticks);
  for (const auto& [name, value] : entity.properties) out += " " + name + "=" + to_string(view_of(value));
  return out;
}

// The first difference as a sentence; empty where there is none.
std::string difference(const std::vector<Entity>& is, const std::vector<Entity>& should_be) {
  for (std::size_t i = 0; i < std::max(is.size(), should_be.size()); ++i) {
    if (i < is.size() && i < should_be.size() && is[i] == should_be[i]) continue;
    return "entity " + std::to_string(i) + " is " + (i < is.size() ? text_of(is[i]) : "missing") +
           ", should be " + (i < should_be.size() ? text_of(should_be[i]) : "missing");
  }
  return "";
}

// --- Writing -----------------------------------------------------------------------------------------------

Write insert(std::string row_key, Properties properties = {}) {
  return {WriteKind::Insert, std::move(row_key), kNone, std::move(properties)};
}

Write upsert(std::string row_key, Properties properties = {}) {
  return {WriteKind::Replace, std::move(row_key), kNone, std::move(properties)};
}

Write remove(std::string row_key, Condition condition = kAny) {
  return {WriteKind::Delete, std::move(row_key), condition, {}};
}

DateTime committed(TableStore& store, const TableName& name, std::string_view partition_key,
                   const std::vector<Write>& writes) {
  const auto timestamp = store.commit(name, partition_key, writes);
  REQUIRE(timestamp.has_value());
  return *timestamp;
}

// "done", or position and code of the refusal.
std::string outcome(const CommitResult<DateTime>& result) {
  if (result) return "done";
  return std::to_string(result.error().position) + " " + std::string(to_string(result.error().error.code));
}

std::string outcome(const Result<void>& result) {
  return result ? "done" : std::string(to_string(result.error().code));
}

// --- The model ---------------------------------------------------------------------------------------------

struct ModelTable {
  std::string name;
  std::map<EntityKey, Entity, KeyOrder> entities;
};

// What one write leaves of an entity; the code of its refusal otherwise. Told as the service's documentation
// does, apart from storage/write.cc.
std::string refusal(const Write& write, const Entity* there) {
  if (write.kind == WriteKind::Insert) return there == nullptr ? "" : "EntityAlreadyExists";
  if (write.condition.kind == Condition::Kind::None) return "";
  if (there == nullptr) return "ResourceNotFound";
  if (write.condition.kind == Condition::Kind::Any || write.condition.etag == there->timestamp) return "";
  return "UpdateConditionNotSatisfied";
}

Properties result_of(const Write& write, const Entity* there) {
  if (write.kind == WriteKind::Insert) return write.properties;
  std::map<std::u16string, Property> by_name;
  if (write.kind == WriteKind::Merge && there != nullptr)
    for (const Property& property : there->properties) by_name[utf16(property.name)] = property;
  for (const Property& property : write.properties) by_name[utf16(property.name)] = property;
  Properties out;
  for (auto& [name, property] : by_name) out.push_back(std::move(property));
  return out;
}

const Entity* find(const ModelTable& table, const EntityKey& key) {
  const auto found = table.entities.find(key);
  return found == table.entities.end() ? nullptr : &found->second;
}

// A store and what it should hold, driven by random operations.
class Model {
 public:
  Model(StoreOptions options, unsigned seed)
      : options_(std::move(options)), store_(std::make_unique<TableStore>(options_)), samples_(seed) {
    for (int i = 0; i < 40; ++i) rows_.insert(samples_.key_text());
    while (rows_.size() < 160) rows_.insert("r" + std::to_string(rows_.size()));
    for (int i = 0; i < 8; ++i) partitions_.push_back(samples_.key_text(2));
    partitions_.push_back("");
  }

  void step() {
    const std::size_t dice = samples_.below(100);
    if (dice < 6) return create_or_delete();
    if (dice < 60) return commit();
    if (dice < 85) return scan();
    if (dice < 95) return get();
    if (dice < 98) return list();
    if (!options_.in_memory) reopen();
  }

  void compare_all() {
    for (const auto& [where, table] : tables_) {
      CAPTURE(where.first);
      CAPTURE(table.name);
      CHECK(difference(entities_in(*store_, {where.first, where.second}), contents(table, all_keys())) == "");
    }
    list();
  }

  void reopen() {
    store_.reset();
    store_ = std::make_unique<TableStore>(options_);
    compare_all();
  }

 private:
  using Where = std::pair<std::string, std::string>;  // account, table name in lower case

  // Neighbours in key order, so that a range that is too long meets the next one's rows.
  Where somewhere() {
    static const std::string kAccounts[] = {"acc", "acct", "acct1"};
    static const std::string kTables[] = {"aaa", "aab", "aab1", "b0b"};
    return {samples_.one_of(kAccounts), samples_.one_of(kTables)};
  }

  std::string in_some_case(std::string text) {
    for (char& c : text)
      if (c >= 'a' && samples_.one_in(2)) c = static_cast<char>(c - 'a' + 'A');
    return text;
  }

  ModelTable* find_table(const Where& where) {
    const auto found = tables_.find(where);
    return found == tables_.end() ? nullptr : &found->second;
  }

  void create_or_delete() {
    const Where where = somewhere();
    const std::string name = in_some_case(where.second);
    const bool there = tables_.contains(where);
    if (samples_.one_in(4)) {
      CHECK(outcome(store_->delete_table({where.first, name})) == (there ? "done" : "ResourceNotFound"));
      tables_.erase(where);
      CHECK_FALSE(store_->get_table({where.first, where.second}).has_value());
    } else {
      CHECK(outcome(store_->create_table({where.first, name})) == (there ? "TableAlreadyExists" : "done"));
      if (!there) tables_[where].name = name;
      CHECK(store_->get_table({where.first, where.second}).value().name == tables_[where].name);
    }
  }

  Properties properties() {
    static const std::string kNames[] = {
        "a", "b", "B", "c1", "_", "\xC3\xA9", "\xEF\xA4\x80", "\xF0\x90\x90\x80"};
    Properties out;
    std::set<std::string> names;
    for (std::size_t n = samples_.below(6); n > 0; --n) {
      const std::string& name = samples_.one_of(kNames);
      if (names.insert(name).second) out.push_back({name, samples_.value()});
    }
    return out;
  }

  Write any_write(const std::string& row, const Entity* there) {
    Write write{static_cast<WriteKind>(samples_.below(4)), row, kNone, {}};
    if (write.kind != WriteKind::Delete) write.properties = properties();
    const std::size_t condition = samples_.below(write.kind == WriteKind::Delete ? 3 : 4);
    if (condition == 0) write.condition = kAny;
    if (condition == 1) write.condition = if_match(there != nullptr ? there->timestamp : last_timestamp_);
    if (condition == 2) write.condition = if_match({static_cast<std::int64_t>(samples_.number())});
    return write;
  }

  // Mostly ones that succeed, else a large transaction never would.
  std::vector<Write> transaction(const ModelTable* table, const std::string& partition) {
    std::vector<std::string> rows(rows_.begin(), rows_.end());
    const std::size_t count = samples_.one_in(3) ? 1 : 1 + samples_.below(100);
    const bool hostile = samples_.one_in(5);
    std::vector<Write> out;
    while (out.size() < count) {
      const std::size_t pick = samples_.below(rows.size());
      const Entity* there = table != nullptr ? find(*table, {partition, rows[pick]}) : nullptr;
      Write write = any_write(rows[pick], there);
      while (!hostile && !refusal(write, there).empty()) write = any_write(rows[pick], there);
      out.push_back(std::move(write));
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    return out;
  }

  void commit() {
    const Where where = somewhere();
    const std::string& partition = samples_.one_of(partitions_);
    ModelTable* table = find_table(where);
    const std::vector<Write> writes = transaction(table, partition);
    const auto result = store_->commit({where.first, in_some_case(where.second)}, partition, writes);
    if (table == nullptr) {
      CHECK(outcome(result) == "0 TableNotFound");
      return;
    }
    const std::string expected = expected_outcome(*table, partition, writes);
    REQUIRE(outcome(result) == expected);
    if (!result) return;
    CHECK(last_timestamp_ < *result);
    last_timestamp_ = *result;
    for (const Write& write : writes) change(*table, {partition, write.row_key}, write);
  }

  static std::string expected_outcome(const ModelTable& table, const std::string& partition,
                                      const std::vector<Write>& writes) {
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const std::string code = refusal(writes[i], find(table, {partition, writes[i].row_key}));
      if (!code.empty()) return std::to_string(i) + " " + code;
    }
    return "done";
  }

  void change(ModelTable& table, const EntityKey& key, const Write& write) {
    if (write.kind == WriteKind::Delete) {
      table.entities.erase(key);
    } else {
      table.entities[key] = {key, last_timestamp_, result_of(write, find(table, key))};
    }
  }

  static std::vector<Entity> contents(const ModelTable& table, const KeyRanges& ranges) {
    std::vector<Entity> out;
    for (const auto& [key, entity] : table.entities) {
      const auto place = place_of(key);
      const bool inside = std::any_of(ranges.begin(), ranges.end(), [&](const KeyRange& range) {
        return place_of(range.begin) <= place && (!range.end || place < place_of(*range.end));
      });
      if (inside) out.push_back(entity);
    }
    return out;
  }

  // A key, the place behind one, the beginning or the end of a partition.
  EntityKey bound() {
    const std::vector<std::string> rows(rows_.begin(), rows_.end());
    EntityKey key{samples_.one_of(partitions_), samples_.one_of(rows)};
    switch (samples_.below(4)) {
      case 0:
        return key;
      case 1:
        return {key.partition_key, key.row_key + '\0'};
      case 2:
        return {key.partition_key, ""};
      default:
        return {key.partition_key + '\0', ""};
    }
  }

  KeyRanges ranges() {
    if (samples_.one_in(4)) return all_keys();
    std::set<EntityKey, KeyOrder> bounds;
    for (std::size_t n = samples_.below(8); n > 0; --n) {
      const EntityKey begin = bound();
      bounds.insert(begin);
      if (samples_.one_in(3))
        bounds.insert({begin.partition_key, begin.row_key + '\0'});  // a single key, or nearly
    }
    KeyRanges out;
    for (auto at = bounds.begin(); at != bounds.end(); ++at) {
      const EntityKey begin = *at++;
      if (at == bounds.end()) {
        out.push_back({begin, std::nullopt});
        break;
      }
      out.push_back({begin, *at});
    }
    return out;
  }

  void scan() {
    const Where where = somewhere();
    const TableName name{where.first, where.second};
    const ModelTable* table = find_table(where);
    if (table == nullptr) {
      const auto result =
          store_->scan(name, all_keys(), 1, far_away(), [](const EntityView&) { return true; });
      REQUIRE_FALSE(result.has_value());
      CHECK(result.error().code == ErrorCode::TableNotFound);
      return;
    }
    const KeyRanges asked = ranges();
    CAPTURE(to_string(asked));
    const auto expected = contents(*table, asked);
    CHECK(difference(entities_in(*store_, name, asked), expected) == "");
    CHECK(difference(page_by_page(name, asked), expected) == "");
  }

  // All that is visited, whether it belongs to a page or not; each page must get ahead and keep its size.
  std::vector<Entity> page_by_page(const TableName& name, KeyRanges ranges) {
    std::vector<Entity> visited;
    for (std::optional<EntityKey> resume;;) {
      const int page_size =
          static_cast<int>(samples_.one_in(3) ? 1 + samples_.below(3) : 1 + samples_.below(200));
      const auto deadline = samples_.one_in(4) ? passed() : far_away();
      const std::size_t before = visited.size();
      int kept = 0;
      const auto result = store_->scan(name, ranges, page_size, deadline, [&](const EntityView& entity) {
        visited.push_back(to_entity(entity));
        const bool keep = samples_.one_in(2);
        kept += keep;
        return keep;
      });
      REQUIRE(result.has_value());
      CHECK(kept <= page_size);
      if (!*result) return visited;
      REQUIRE(visited.size() > before);
      CHECK(KeyOrder()(visited.back().key, **result));
      ranges = starting_at(ranges, **result);
    }
  }

  void get() {
    const Where where = somewhere();
    const std::vector<std::string> rows(rows_.begin(), rows_.end());
    const EntityKey key{samples_.one_of(partitions_), samples_.one_of(rows)};
    const TableName name{where.first, where.second};
    const ModelTable* table = find_table(where);
    if (table == nullptr) {
      const auto result = store_->get(name, key, [](const EntityView&) {});
      REQUIRE_FALSE(result.has_value());
      CHECK(result.error().code == ErrorCode::TableNotFound);
      return;
    }
    const Entity* expected = find(*table, key);
    CHECK(entity_at(*store_, name, key) == (expected != nullptr ? std::optional(*expected) : std::nullopt));
  }

  void list() {
    for (const std::string account : {"acc", "acct", "acct1", "other"}) {
      std::vector<std::string> expected, listed;
      for (const auto& [where, table] : tables_)
        if (where.first == account) expected.push_back(table.name);
      std::string from;
      for (bool more = true; more;) {
        const int page_size = static_cast<int>(1 + samples_.below(3));
        int kept = 0;
        const auto resume = store_->list_tables(account, from, page_size, [&](const Table& table) {
          listed.push_back(table.name);
          const bool keep = samples_.one_in(2);
          kept += keep;
          return keep;
        });
        CHECK(kept <= page_size);
        more = resume.has_value();
        if (more) from = to_lower_ascii(resume->name);
      }
      CHECK(listed == expected);
    }
  }

  StoreOptions options_;
  std::unique_ptr<TableStore> store_;
  Samples samples_;
  std::set<std::string> rows_;
  std::vector<std::string> partitions_;
  std::map<Where, ModelTable> tables_;
  DateTime last_timestamp_;
};

TEST_CASE("a store in memory does what the model does") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    Model model(in_memory(), seed);
    for (int i = 0; i < 600; ++i) model.step();
    model.compare_all();
  }
}

TEST_CASE("a store on disk does what the model does, and still holds it when it is opened again") {
  for (const unsigned seed : {4u, 5u, 6u}) {
    CAPTURE(seed);
    const TemporaryFolder folder;
    Model model(folder.store(), seed);
    for (int i = 0; i < 500; ++i) model.step();
    model.reopen();
  }
}

TEST_CASE("a store that syncs each commit does what the model does") {
  const TemporaryFolder folder;
  Model model(folder.store(true), 7);
  for (int i = 0; i < 120; ++i) model.step();
  model.reopen();
}

// --- Scans -------------------------------------------------------------------------------------------------

TEST_CASE("a scan whose deadline has passed still gets ahead, and soon stops") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  for (int partition = 0; partition < 5; ++partition) {
    std::vector<Write> writes;
    for (int row = 0; row < 100; ++row) writes.push_back(insert(std::to_string(1000 + row)));
    committed(store, kTable, std::to_string(partition), writes);
  }
  std::size_t visited = 0, pages = 0;
  KeyRanges ranges = all_keys();
  for (bool more = true; more; ++pages) {
    std::size_t in_page = 0;
    const auto resume = store.scan(kTable, ranges, 1000, passed(), [&](const EntityView&) {
      ++in_page;
      return false;
    });
    REQUIRE(resume.has_value());
    CHECK(in_page >= 1);
    CHECK(in_page <= 64);
    visited += in_page;
    more = resume->has_value();
    if (more) ranges = starting_at(ranges, **resume);
  }
  CHECK(visited == 500);
  CHECK(pages > 5);
}

TEST_CASE("a page that ends with the last entity has nothing to resume from") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("1"), insert("2"), insert("3")});
  const struct {
    int page_size;
    std::optional<EntityKey> resume;
  } cases[] = {{1, EntityKey{"p", "2"}}, {2, EntityKey{"p", "3"}}, {3, std::nullopt}, {4, std::nullopt}};
  for (const auto& c : cases) {
    CAPTURE(c.page_size);
    const auto resume =
        store.scan(kTable, all_keys(), c.page_size, far_away(), [](const EntityView&) { return true; });
    CHECK(resume.value() == c.resume);
  }
  const auto nothing = store.scan(kTable, {}, 1, far_away(), [](const EntityView&) { return true; });
  CHECK(nothing.value() == std::nullopt);
}

TEST_CASE("a scan sees one snapshot, whatever is written meanwhile") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("1"), insert("2"), insert("3")});
  std::string seen;
  // The visitor itself may not call the store; another thread may.
  const auto resume = store.scan(kTable, all_keys(), 10, far_away(), [&](const EntityView& entity) {
    if (seen.empty()) std::jthread([&] { committed(store, kTable, "p", {remove("2"), insert("4")}); }).join();
    seen += entity.row_key;
    return true;
  });
  CHECK(resume.has_value());
  CHECK(seen == "123");
}

TEST_CASE("a scan of single keys among ranges sees one snapshot too") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("1"), insert("2"), insert("3"), insert("5")});
  KeyRanges ranges;
  for (const char* row : {"1", "2", "3", "4"}) ranges.push_back(one_key({"p", row}).front());
  ranges.push_back({{"p", "5"}, std::nullopt});
  std::string seen;
  const auto resume = store.scan(kTable, ranges, 10, far_away(), [&](const EntityView& entity) {
    if (seen.empty())
      std::jthread([&] { committed(store, kTable, "p", {remove("2"), insert("4"), insert("6")}); }).join();
    seen += entity.row_key;
    return true;
  });
  CHECK(resume.has_value());
  CHECK(seen == "1235");
}

TEST_CASE("what a request reads is added to its statistics") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("1"), insert("2"), insert("3"), insert("4")});
  RequestStats stats;
  KeyRanges ranges = one_key({"p", "1"});
  ranges.push_back({{"p", "2"}, EntityKey{"p", "4"}});
  const auto odd = [](const EntityView& entity) { return entity.row_key != "2"; };
  REQUIRE(store.scan(kTable, ranges, 10, far_away(), odd, &stats).has_value());
  CHECK(stats.ranges == 2);
  CHECK(stats.entities_scanned == 3);
  CHECK(stats.entities_returned == 2);
  CHECK(stats.bytes_read == 3 * 21);  // a key of 11 bytes, a record without properties of 10
  CHECK(stats.storage_time.count() > 0);
  REQUIRE(store.get(kTable, {"p", "1"}, [](const EntityView&) {}, &stats).has_value());
  REQUIRE(store.get(kTable, {"p", "absent"}, [](const EntityView&) {}, &stats).has_value());
  CHECK(stats.ranges == 4);
  CHECK(stats.entities_scanned == 4);
  CHECK(stats.entities_returned == 3);
}

TEST_CASE("a scan ends where the one who watches it says so, and can be resumed") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  for (const std::string partition : {"a", "b", "c"}) {
    std::vector<Write> writes;
    for (int row = 0; row < 100; ++row) writes.push_back(insert(std::to_string(1000 + row)));
    committed(store, kTable, partition, writes);
  }
  RequestStats stats;
  std::size_t asked = 0, visited = 0;
  stats.progress = [&](const RequestStats& so_far) {
    CHECK(so_far.entities_scanned == visited);
    return ++asked % 2 == 1;
  };
  KeyRanges ranges = all_keys();
  std::size_t pages = 1;
  for (;; ++pages) {
    const auto resume = store.scan(
        kTable, ranges, 1000, far_away(),
        [&](const EntityView&) {
          ++visited;
          return false;
        },
        &stats);
    REQUIRE(resume.has_value());
    if (!*resume) break;
    ranges = starting_at(ranges, **resume);
  }
  CHECK(visited == 300);
  CHECK(pages > 2);
}

TEST_CASE("a table's largest entity comes back whole") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  Properties properties;
  for (int i = 0; i < 15; ++i)
    properties.push_back({"p" + std::to_string(i), Binary{std::string(kMaxBinaryBytes, 'x')}});
  const std::string key(kMaxKeyLength, 'k');
  const DateTime timestamp = committed(store, kTable, key, {insert(key, properties)});
  CHECK(entity_at(store, kTable, {key, key}) == Entity{{key, key}, timestamp, properties});
}

// --- Transactions ------------------------------------------------------------------------------------------

TEST_CASE("a refused transaction changes nothing and names the write that was refused") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  const DateTime etag = committed(store, kTable, "p", {insert("there", {{"n", std::int32_t{1}}})});
  const auto before = entities_in(store, kTable);
  const struct {
    std::vector<Write> writes;
    std::string_view outcome;
  } cases[] = {
      {{insert("there")}, "0 EntityAlreadyExists"},
      {{insert("a"), upsert("b"), insert("there")}, "2 EntityAlreadyExists"},
      {{remove("there", if_match({etag.ticks + 1})), insert("a")}, "0 UpdateConditionNotSatisfied"},
      {{upsert("there"), remove("absent"), insert("a")}, "1 ResourceNotFound"},
      {{remove("there"), {WriteKind::Merge, "absent", kAny, {}}}, "1 ResourceNotFound"},
      {{remove("absent"), insert("there")}, "0 ResourceNotFound"},  // the first of two
  };
  for (const auto& c : cases) {
    CAPTURE(c.outcome);
    CHECK(outcome(store.commit(kTable, "p", c.writes)) == c.outcome);
    CHECK(difference(entities_in(store, kTable), before) == "");
  }
  CHECK(outcome(store.commit({"acct", "other"}, "p", cases[0].writes)) == "0 TableNotFound");
}

TEST_CASE("a refused transaction that is unwrapped throws its error") {
  TableStore store(in_memory());
  const std::vector<Write> writes{insert("a")};
  CHECK_THROWS_AS(store.commit(kTable, "p", writes).value(), ServiceException);
}

// --- Tables ------------------------------------------------------------------------------------------------

TEST_CASE("a table that was deleted is created again empty, its neighbours stay whole") {
  const TemporaryFolder folder;
  const TableName before{"acct", "before"}, behind{"acct", "behind"}, elsewhere{"acct2", "table"};
  auto store = std::make_unique<TableStore>(folder.store());
  for (const TableName& name : {before, kTable, behind, elsewhere})
    REQUIRE(outcome(store->create_table(name)) == "done");
  // Several files, of one table each and of several: what goes as a whole and what is cut out.
  for (int round = 0; round < 6; ++round) {
    for (const TableName& name : {before, kTable, behind, elsewhere}) {
      std::vector<Write> writes;
      for (int row = 0; row < 100; ++row)
        writes.push_back(upsert(std::to_string(1000 * round + row), {{"b", Binary{std::string(2000, 'x')}}}));
      committed(*store, name, std::string("p\xEF\xBF\xBF") + std::to_string(round), writes);
    }
    store.reset();
    store = std::make_unique<TableStore>(folder.store());
  }
  const auto neighbours = [&] {
    std::vector<std::vector<Entity>> out;
    for (const TableName& name : {before, behind, elsewhere}) out.push_back(entities_in(*store, name));
    return out;
  };
  const auto whole = neighbours();
  CHECK(whole[0].size() == 600);

  for (int again = 0; again < 3; ++again) {
    CAPTURE(again);
    REQUIRE(outcome(store->delete_table(kTable)) == "done");
    CHECK_FALSE(store->get_table(kTable).has_value());
    CHECK(outcome(store->delete_table(kTable)) == "ResourceNotFound");
    REQUIRE(outcome(store->create_table(kTable)) == "done");
    CHECK(entities_in(*store, kTable).empty());
    CHECK_FALSE(entity_at(*store, kTable, {"p\xEF\xBF\xBF"s + "0", "0"}).has_value());
    CHECK(neighbours() == whole);
    committed(*store, kTable, "new", {insert("new")});
    store.reset();
    store = std::make_unique<TableStore>(folder.store());
    CHECK(entities_in(*store, kTable).size() == 1);
    CHECK(neighbours() == whole);
  }
}

TEST_CASE("a table keeps the case of its creation and the time of it") {
  const TemporaryFolder folder;
  auto store = std::make_unique<TableStore>(folder.store());
  const DateTime before = now();
  REQUIRE(outcome(store->create_table({"acct", "MyTable"})) == "done");
  const Table created = store->get_table({"acct", "mytable"}).value();
  CHECK(created.name == "MyTable");
  CHECK(before <= created.created);
  CHECK(outcome(store->create_table({"acct", "MYTABLE"})) == "TableAlreadyExists");
  CHECK_FALSE(store->get_table({"acct2", "MyTable"}).has_value());
  store.reset();
  store = std::make_unique<TableStore>(folder.store());
  const Table reopened = store->get_table({"acct", "MYTABLE"}).value();
  CHECK(reopened.name == "MyTable");
  CHECK(reopened.created == created.created);
}

namespace {

// Of all files; one that goes meanwhile counts nothing.
std::uintmax_t bytes_in(const std::filesystem::path& folder) {
  std::uintmax_t out = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::error_code gone;
    const auto size = file.file_size(gone);
    if (!gone) out += size;
  }
  return out;
}

}  // namespace

TEST_CASE("a table larger than the memory for writes is deleted as a whole") {
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const TemporaryFolder folder;
    const StoreOptions options = on_disk ? folder.store() : in_memory();
    const TableName behind{"acct", "behind"};
    auto store = std::make_unique<TableStore>(options);
    for (const TableName& name : {kTable, behind}) REQUIRE(outcome(store->create_table(name)) == "done");
    committed(*store, behind, "p", {insert("r")});
    for (int partition = 0; partition < 16; ++partition) {
      std::vector<Write> writes;
      for (int row = 0; row < 80; ++row)
        writes.push_back(insert(std::to_string(row), {{"b", Binary{std::string(60'000, 'x')}}}));
      committed(*store, kTable, std::to_string(partition), writes);
    }
    if (on_disk) {
      store.reset();
      store = std::make_unique<TableStore>(options);
    }
    CHECK(outcome(store->delete_table(kTable)) == "done");
    REQUIRE(outcome(store->create_table(kTable)) == "done");
    CHECK(entities_in(*store, kTable).empty());
    CHECK(entities_in(*store, behind).size() == 1);
    if (!on_disk) continue;
    // Its files are removed in the background: whatever the end of the store left of them, after the next start.
    store.reset();
    store = std::make_unique<TableStore>(options);
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (bytes_in(options.directory) > (10 << 20) && std::chrono::steady_clock::now() < give_up)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(bytes_in(options.directory) <= (10 << 20));
  }
}

TEST_CASE("a table's signed identifiers go with the table") {
  const TemporaryFolder folder;
  const TableName other{"acct", "other"};
  auto store = std::make_unique<TableStore>(folder.store());
  CHECK(outcome(store->set_signed_identifiers(kTable, "x")) == "TableNotFound");
  CHECK(store->signed_identifiers(kTable).error().code == ErrorCode::TableNotFound);
  for (const TableName& name : {kTable, other}) REQUIRE(outcome(store->create_table(name)) == "done");
  CHECK(store->signed_identifiers(kTable).value() == "");
  for (const std::string_view document : {"one", "another", ""}) {
    CHECK(outcome(store->set_signed_identifiers(kTable, document)) == "done");
    CHECK(store->signed_identifiers({"acct", "TABLE"}).value() == document);
  }
  CHECK(outcome(store->set_signed_identifiers(kTable, "of table")) == "done");
  CHECK(outcome(store->set_signed_identifiers(other, "of other")) == "done");
  store.reset();
  store = std::make_unique<TableStore>(folder.store());
  CHECK(store->signed_identifiers(kTable).value() == "of table");
  REQUIRE(outcome(store->delete_table(kTable)) == "done");
  REQUIRE(outcome(store->create_table(kTable)) == "done");
  CHECK(store->signed_identifiers(kTable).value() == "");
  CHECK(store->signed_identifiers(other).value() == "of other");
}

TEST_CASE("each account has its service properties") {
  const TemporaryFolder folder;
  auto store = std::make_unique<TableStore>(folder.store());
  CHECK_FALSE(store->service_properties("acct").has_value());
  store->set_service_properties("acct", "first");
  store->set_service_properties("acct", "second");
  store->set_service_properties("acct1", "");
  store.reset();
  store = std::make_unique<TableStore>(folder.store());
  CHECK(store->service_properties("acct") == "second");
  CHECK(store->service_properties("acct1") == "");
  CHECK_FALSE(store->service_properties("acc").has_value());
}

// --- Open and close ----------------------------------------------------------------------------------------

TEST_CASE("timestamps increase across restarts, also in quick succession") {
  const TemporaryFolder folder;
  DateTime last;
  for (int restart = 0; restart < 4; ++restart) {
    TableStore store(folder.store());
    if (restart == 0) REQUIRE(outcome(store.create_table(kTable)) == "done");
    for (int i = 0; i < 50; ++i) {
      const DateTime timestamp = committed(store, kTable, "p", {upsert("r")});
      CHECK(last < timestamp);
      last = timestamp;
    }
  }
}

TEST_CASE("stores in memory share nothing and leave nothing") {
  TableStore a(in_memory()), b(in_memory());
  REQUIRE(outcome(a.create_table(kTable)) == "done");
  CHECK_FALSE(b.get_table(kTable).has_value());
  CHECK_FALSE(TableStore(in_memory()).get_table(kTable).has_value());
}

TEST_CASE("a folder that is open is not opened a second time") {
  const TemporaryFolder folder;
  TableStore store(folder.store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  CHECK(refusal_to_open(folder.store()) ==
        "the folder " + folder.store().directory.string() + " is in use by another rocktable");
  committed(store, kTable, "p", {insert("r")});  // the first goes on
}

// Another process holds RocksDB's lock, as a second server would. The child does no more than that: it may
// not use much after fork().
TEST_CASE("a folder that another process has open is not opened") {
  const TemporaryFolder folder;
  {
    const TableStore store(folder.store());
  }
  const std::string lock_file = folder.store().directory / "LOCK";
  int locked[2], release[2];
  REQUIRE(::pipe(locked) == 0);
  REQUIRE(::pipe(release) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const int file = ::open(lock_file.c_str(), O_RDWR);
    char byte = ::fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
    ::close(release[1]);
    ::_exit(::write(locked[1], &byte, 1) == 1 && ::read(release[0], &byte, 1) == 0 ? 0 : 1);
  }
  char answer = 0;
  REQUIRE(::read(locked[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  CHECK(refusal_to_open(folder.store()) ==
        "the folder " + folder.store().directory.string() + " is in use by another rocktable");
  ::close(release[1]);
  ::waitpid(child, nullptr, 0);
  for (const int end : {locked[0], locked[1], release[0]}) ::close(end);
  CHECK(refusal_to_open(folder.store()) == "");
}

TEST_CASE("a place that cannot be a folder is refused with a sentence that names it") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "file";
  std::ofstream(file) << "not a folder";
  for (const auto& directory : {file, file / "store"}) {
    CAPTURE(directory.string());
    const std::string sentence = refusal_to_open({directory, false, false});
    CHECK(sentence.find("cannot create the folder " + directory.string()) != std::string::npos);
  }
  CHECK(std::filesystem::file_size(file) == 12);
}

TEST_CASE("a lock that cannot be taken for another reason is not called a second server") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.store().directory / "LOCK");
  CHECK(refusal_to_open(folder.store())
            .starts_with("cannot open the store in " + folder.store().directory.string()));
}

TEST_CASE("a store whose files are damaged is refused, not opened empty") {
  const TemporaryFolder folder;
  {
    const TableStore store(folder.store());
  }
  std::ofstream(folder.store().directory / "CURRENT") << "MANIFEST-999999\n";
  CHECK(refusal_to_open(folder.store())
            .starts_with("cannot open the store in " + folder.store().directory.string()));
}

// --- Several threads ---------------------------------------------------------------------------------------

constexpr int kThreads = 4;

// Runs `work(0)` to `work(kThreads - 1)` at once. Checks of doctest are kept out of it: they are slow and
// take a lock.
void in_threads(const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&work, i] { work(i); });
}

std::int64_t number_in(const Entity& entity) { return std::get<std::int64_t>(entity.properties.at(0).value); }

TEST_CASE("no increment under an ETag is lost") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("counter", {{"n", std::int64_t{0}}})});
  std::atomic<std::int64_t> successes{0}, refusals{0}, others{0};
  in_threads([&](int) {
    for (int i = 0; i < 500; ++i) {
      Entity counter;
      store.get(kTable, {"p", "counter"}, [&](const EntityView& view) { counter = to_entity(view); }).value();
      const std::vector<Write> writes{
          {WriteKind::Merge, "counter", if_match(counter.timestamp), {{"n", number_in(counter) + 1}}}};
      const auto result = store.commit(kTable, "p", writes);
      if (result) {
        ++successes;
      } else {
        ++(result.error().error.code == ErrorCode::UpdateConditionNotSatisfied ? refusals : others);
      }
    }
  });
  CHECK(others == 0);
  CHECK(successes + refusals == kThreads * 500);
  CHECK(number_in(entity_at(store, kTable, {"p", "counter"}).value()) == successes);
}

TEST_CASE("of several inserts of one key one succeeds, and timestamps are all different") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  std::vector<std::vector<DateTime>> timestamps(kThreads);
  std::atomic<int> inserted{0};
  std::barrier together(kThreads);
  in_threads([&](int thread) {
    for (int i = 0; i < 300; ++i) {
      together.arrive_and_wait();
      const std::string partition = std::to_string(i % 7);
      const std::vector<Write> contested{insert(std::to_string(i))},
          own{insert("t" + std::to_string(thread) + "-" + std::to_string(i))};
      const auto result = store.commit(kTable, partition, contested);
      inserted += result.has_value();
      if (result) timestamps[static_cast<std::size_t>(thread)].push_back(*result);
      timestamps[static_cast<std::size_t>(thread)].push_back(store.commit(kTable, partition, own).value());
    }
  });
  CHECK(inserted == 300);
  std::set<DateTime> all;
  for (const auto& of_thread : timestamps) {
    CHECK(std::is_sorted(of_thread.begin(), of_thread.end()));
    all.insert(of_thread.begin(), of_thread.end());
  }
  CHECK(all.size() == 300 * (kThreads + 1));
  CHECK(entities_in(store, kTable).size() == all.size());
}

// Each transaction writes one number to five rows, and moves them between ten.
TEST_CASE("no page shows half a transaction") {
  TableStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  const auto row = [](std::int64_t n, int i) { return (n % 2 == 0 ? "even" : "odd") + std::to_string(i); };
  std::vector<Write> first;
  for (int i = 0; i < 5; ++i) first.push_back(insert(row(0, i), {{"n", std::int64_t{0}}}));
  committed(store, kTable, "p", first);
  std::atomic<bool> writing{true};
  std::atomic<int> torn{0}, backwards{0}, refused{0};
  in_threads([&](int thread) {
    if (thread == 0) {
      for (std::int64_t n = 1; n <= 1000; ++n) {
        std::vector<Write> writes;
        for (int i = 0; i < 5; ++i) {
          writes.push_back(remove(row(n - 1, i)));
          writes.push_back(insert(row(n, i), {{"n", n}}));
        }
        refused += !store.commit(kTable, "p", writes).has_value();
      }
      writing = false;
    }
    std::int64_t last = 0;
    while (writing) {
      std::vector<Entity> page;
      const auto resume = store.scan(kTable, all_keys(), 1000, far_away(), [&](const EntityView& entity) {
        page.push_back(to_entity(entity));
        return true;
      });
      const bool whole =
          resume && page.size() == 5 && std::all_of(page.begin(), page.end(), [&](const Entity& entity) {
            return number_in(entity) == number_in(page[0]) && entity.timestamp == page[0].timestamp;
          });
      if (!whole) {
        ++torn;
        continue;
      }
      if (number_in(page[0]) < last) ++backwards;
      last = number_in(page[0]);
    }
  });
  CHECK(refused == 0);
  CHECK(torn == 0);
  CHECK(backwards == 0);
}

// A table's entities are younger than the table: one that is older was written to another of the same name.
TEST_CASE("while a table is deleted and created again, nothing of the old one is seen in the new one") {
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const TemporaryFolder folder;
    TableStore store(on_disk ? folder.store() : in_memory());
    std::atomic<bool> running{true};
    std::atomic<int> older{0}, unexpected{0}, commits{0};
    const auto look = [&] {
      const auto before = store.get_table(kTable);
      std::vector<DateTime> timestamps;
      const auto result = store.scan(kTable, all_keys(), 1000, far_away(), [&](const EntityView& entity) {
        timestamps.push_back(entity.timestamp);
        return true;
      });
      const auto after = store.get_table(kTable);
      if (!result && result.error().code != ErrorCode::TableNotFound) ++unexpected;
      if (!before || !after || before->created != after->created) return;
      if (!result) ++unexpected;  // it was there all the time
      for (const DateTime timestamp : timestamps) older += timestamp < before->created;
    };
    in_threads([&](int thread) {
      if (thread == 0) {
        for (int i = 0; i < 60; ++i) {
          if (!store.create_table(kTable)) ++unexpected;
          for (const int before = commits; commits < before + 5;) look();  // the others take part
          if (!store.delete_table(kTable)) ++unexpected;
          if (store.scan(kTable, all_keys(), 1, far_away(), [](const EntityView&) { return true; }))
            ++unexpected;
        }
        running = false;
      }
      if (thread == 1)
        while (running) look();
      for (int i = 0; running; ++i) {
        std::vector<Write> writes;
        for (int row = 0; row < 3; ++row) writes.push_back(upsert(std::to_string((i + row) % 50)));
        const auto result = store.commit(kTable, std::to_string(thread), writes);
        commits += result.has_value();
        if (!result && result.error().error.code != ErrorCode::TableNotFound) ++unexpected;
      }
    });
    CHECK(older == 0);
    CHECK(unexpected == 0);
    REQUIRE(outcome(store.create_table(kTable)) == "done");
    CHECK(entities_in(store, kTable).empty());
  }
}

// A shared mutex that prefers its shared side would let deletion wait for as long as there are writes.
TEST_CASE("a table that is written to without a pause can be deleted and created") {
  TableStore store(in_memory());
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::atomic<int> rounds{0}, commits{0};
  const auto going_on = [&] { return rounds < 20 && std::chrono::steady_clock::now() < give_up; };
  in_threads([&](int thread) {
    const std::vector<Write> writes{upsert("r")};
    while (thread == 0 && going_on()) {
      store.create_table(kTable).value();
      for (const int before = commits; commits < before + 5 && going_on();) std::this_thread::yield();
      store.delete_table(kTable).value();
      ++rounds;
    }
    while (thread > 0 && going_on())
      commits += store.commit(kTable, std::to_string(thread), writes).has_value();
  });
  CHECK(rounds == 20);
}

TEST_CASE("a table created by several threads at once exists once") {
  TableStore store(in_memory());
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> created{0}, deleted{0};
    in_threads([&](int) { created += store.create_table(kTable).has_value(); });
    CHECK(created == 1);
    in_threads([&](int) { deleted += store.delete_table(kTable).has_value(); });
    CHECK(deleted == 1);
  }
}

TEST_CASE("tables created by several threads at once do not share their entities") {
  TableStore store(in_memory());
  in_threads([&](int thread) {
    for (int i = 0; i < 30; ++i) {
      const std::string table = "t" + std::to_string(thread) + "x" + std::to_string(i);
      const std::vector<Write> writes{insert(table)};
      store.create_table({"acct", table}).value();
      store.commit({"acct", table}, "p", writes).value();
    }
  });
  std::vector<std::string> names;
  store.list_tables("acct", "", 1000, [&](const Table& table) {
    names.push_back(table.name);
    return true;
  });
  CHECK(names.size() == 30 * kThreads);
  for (const std::string& name : names) {
    const auto entities = entities_in(store, {"acct", name});
    REQUIRE(entities.size() == 1);
    CHECK(entities[0].key.row_key == name);
  }
}

}  // namespace
}  // namespace rocktable
