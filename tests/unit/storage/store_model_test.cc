// Compares the store with a model: random operations, also across reopening.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tests/unit/storage/samples.h"
#include "tests/unit/storage/store.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

struct ModelTable {
  std::string name;
  std::map<EntityKey, Entity, KeyOrder> entities;
};

// Returns the result of one write on an entity, or the code of its refusal. Follows the documentation of the
// service, independently of storage/mutation.cc.
std::string refusal(const Mutation& write, const Entity* there) {
  if (write.kind == WriteKind::Insert) return there == nullptr ? "" : "EntityAlreadyExists";
  if (write.condition.kind == Condition::Kind::None) return "";
  if (there == nullptr) return "ResourceNotFound";
  if (write.condition.kind == Condition::Kind::Any || write.condition.etag == there->timestamp) return "";
  return "UpdateConditionNotSatisfied";
}

Properties result_of(const Mutation& write, const Entity* there) {
  Properties sent = to_properties(write.properties.decode());
  if (write.kind == WriteKind::Insert) return sent;
  std::map<std::u16string, Property> by_name;
  if (write.kind == WriteKind::Merge && there != nullptr)
    for (const Property& property : there->properties) by_name[utf16(property.name)] = property;
  for (const Property& property : sent) by_name[utf16(property.name)] = property;
  Properties out;
  for (auto& [name, property] : by_name) out.push_back(std::move(property));
  return out;
}

const Entity* find(const ModelTable& table, const EntityKey& key) {
  const auto found = table.entities.find(key);
  return found == table.entities.end() ? nullptr : &found->second;
}

// A store and its expected contents, driven by random operations.
class Model {
 public:
  Model(StoreOptions options, unsigned seed)
      : options_(std::move(options)), store_(std::make_unique<OpenedStore>(options_)), samples_(seed) {
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
    store_ = std::make_unique<OpenedStore>(options_);
    compare_all();
  }

 private:
  using Where = std::pair<std::string, std::string>;  // account, table name in lower case

  // Adjacent in key order, so that a range that is too long includes rows of the next table.
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
    static const std::string kNames[] = {"a", "b", "B", "c1", "_", "\xC3\xA9", "\xEF\xA4\x80", "\xF0\x90\x90\x80"};
    Properties out;
    std::set<std::string> names;
    for (std::size_t n = samples_.below(6); n > 0; --n) {
      const std::string& name = samples_.one_of(kNames);
      if (names.insert(name).second) out.push_back({name, samples_.value()});
    }
    return out;
  }

  Mutation any_write(const std::string& row, const Entity* there) {
    Mutation write{static_cast<WriteKind>(samples_.below(4)), row, kNone, {}};
    if (write.kind != WriteKind::Delete) write.properties = properties();
    const std::size_t condition = samples_.below(write.kind == WriteKind::Delete ? 3 : 4);
    if (condition == 0) write.condition = kAny;
    if (condition == 1) write.condition = if_match(there != nullptr ? there->timestamp : last_timestamp_);
    if (condition == 2) write.condition = if_match({static_cast<std::int64_t>(samples_.number())});
    return write;
  }

  // Mostly writes that succeed; otherwise a large transaction would never succeed.
  std::vector<Mutation> transaction(const ModelTable* table, const std::string& partition) {
    std::vector<std::string> rows(rows_.begin(), rows_.end());
    const std::size_t count = samples_.one_in(3) ? 1 : 1 + samples_.below(100);
    const bool hostile = samples_.one_in(5);
    std::vector<Mutation> out;
    while (out.size() < count) {
      const std::size_t pick = samples_.below(rows.size());
      const Entity* there = table != nullptr ? find(*table, {partition, rows[pick]}) : nullptr;
      Mutation write = any_write(rows[pick], there);
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
    const std::vector<Mutation> writes = transaction(table, partition);
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
    for (const Mutation& write : writes) change(*table, {partition, write.row_key}, write);
  }

  static std::string expected_outcome(const ModelTable& table, const std::string& partition,
                                      const std::vector<Mutation>& writes) {
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const std::string code = refusal(writes[i], find(table, {partition, writes[i].row_key}));
      if (!code.empty()) return std::to_string(i) + " " + code;
    }
    return "done";
  }

  void change(ModelTable& table, const EntityKey& key, const Mutation& write) {
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

  // A key, the bound after a key, or the beginning or end of a partition.
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
      if (samples_.one_in(3)) bounds.insert({begin.partition_key, begin.row_key + '\0'});  // a single key, or almost
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
      const auto result = store_->scan(name, all_keys(), 1, far_away(), [](const EntityView&) { return true; });
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

  // Scans all pages and visits all entities, on a page or not. Each page must make progress and respect its
  // size.
  std::vector<Entity> page_by_page(const TableName& name, KeyRanges ranges) {
    std::vector<Entity> visited;
    for (std::optional<EntityKey> resume;;) {
      const int page_size = static_cast<int>(samples_.one_in(3) ? 1 + samples_.below(3) : 1 + samples_.below(200));
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
        const auto resume =
            store_->list_tables(account, starting_at(all_keys(), {from, ""}), page_size, [&](const Table& table) {
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
  std::unique_ptr<OpenedStore> store_;
  Samples samples_;
  std::set<std::string> rows_;
  std::vector<std::string> partitions_;
  std::map<Where, ModelTable> tables_;
  DateTime last_timestamp_;
};

TEST_CASE("a store in memory does what the model does" * doctest::test_suite(kEmbedded)) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    Model model(in_memory(), seed);
    for (int i = 0; i < 600; ++i) model.step();
    model.compare_all();
  }
}

TEST_CASE("a store that is kept does what the model does, also after it is reopened") {
  for (const unsigned seed : {4u, 5u, 6u}) {
    CAPTURE(seed);
    const TestStore place;
    Model model(place.options(), seed);
    for (int i = 0; i < 500; ++i) model.step();
    model.reopen();
  }
}

TEST_CASE("a store that syncs each commit does what the model does" * doctest::test_suite(kEmbedded)) {
  const TemporaryFolder folder;
  Model model(folder.store(true), 7);
  for (int i = 0; i < 120; ++i) model.step();
  model.reopen();
}

}  // namespace
}  // namespace rocktable::TEST_FILE
