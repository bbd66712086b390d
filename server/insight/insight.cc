#include "server/insight/insight.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "odata/filter_shape.h"
#include "odata/insight/billed_requests.h"
#include "odata/insight/finding_catalog.h"
#include "odata/insight/folded_table.h"
#include "odata/insight/text_hash.h"
#include "server/insight/findings.h"
#include "server/request/operation.h"
#include "server/request/operation_table.h"
#include "server/request/request_notes.h"

namespace rocktable {
namespace {

std::string_view name_of_operation(const Operation& operation, std::string_view name) {
  const auto* const write = std::get_if<WriteEntity>(&operation);
  return write == nullptr ? name : name_of_write(write->kind, write->condition);
}

std::string fingerprint_of_tables(const Operation& operation) {
  const auto* const tables = std::get_if<QueryTables>(&operation);
  return tables != nullptr && tables->filter ? filter_shape(*tables->filter) : std::string();
}

std::string select_of(const Operation& operation) {
  const std::optional<Selection>* select = nullptr;
  if (const auto* const query = std::get_if<QueryEntities>(&operation)) select = &query->select;
  if (const auto* const get = std::get_if<GetEntity>(&operation)) select = &get->select;
  if (select == nullptr || !*select) return {};
  std::string out;
  for (const auto& name : (*select)->names) out.append(out.empty() ? "" : ",").append(name);
  return out;
}

// The number of partitions that the plan names; 0 if it names none.
std::size_t partitions_of(const KeyRanges& ranges) {
  std::size_t out = ranges.empty() ? 0 : 1;  // ranges are sorted
  for (std::size_t i = 1; i < ranges.size(); ++i)
    out += ranges[i].begin.partition_key == ranges[i - 1].begin.partition_key ? 0 : 1;
  return out;
}

// The keys that a request reads or writes, if they are in one partition.
struct Keys {
  const std::string* partition = nullptr;
  const std::string* row = nullptr;  // null: several rows
};

Keys keys_of(const RequestEvent& event) {
  const RequestNotes& notes = *event.notes;
  if (!notes.writes.empty())
    return {&notes.partition_key, notes.writes.size() == 1 ? &notes.writes.front().row_key : nullptr};
  if (const auto* const get = std::get_if<GetEntity>(event.operation))
    return {&get->key.partition_key, &get->key.row_key};
  const auto* const query = std::get_if<QueryEntities>(event.operation);
  if (query == nullptr || query->plan.plan_class > PlanClass::PartitionScan) return {};
  const KeyRanges& ranges = query->plan.ranges;
  if (partitions_of(ranges) != 1) return {};
  const bool is_row = ranges.size() == 1 && is_single_key(ranges.front());
  return {&ranges.front().begin.partition_key, is_row ? &ranges.front().begin.row_key : nullptr};
}

bool may_add_entities(const Operation& operation) {
  const auto* const write = std::get_if<WriteEntity>(&operation);
  return write == nullptr || (write->kind != WriteKind::Delete && write->condition.kind == Condition::Kind::None);
}

nlohmann::json shape_json(const QueryShape& shape, const ShapeSums& statistics, std::uint64_t abandoned) {
  const auto milliseconds = [](std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1000; };
  return {{"account", shape.account},
          {"table", shape.table},
          {"operation", shape.operation},
          {"plan", shape.plan},
          {"fingerprint", shape.fingerprint},
          {"select", shape.select},
          {"client", shape.client},
          {"test", shape.test},
          {"requests", statistics.requests},
          {"errors", statistics.errors},
          {"notFound", statistics.not_found},
          {"conflicts", statistics.conflicts},
          {"preconditionsFailed", statistics.preconditions_failed},
          {"continuations", statistics.continuations},
          {"unbilled", statistics.unbilled},
          {"abandoned", abandoned},
          {"entitiesScanned", statistics.entities_scanned},
          {"mostScannedPerRequest", statistics.most_scanned},
          {"entitiesScannedHere", statistics.entities_scanned_here},
          {"entitiesReturned", statistics.entities_returned},
          {"entitiesWritten", statistics.entities_written},
          {"bytesRead", statistics.bytes_read},
          {"bytesSent", statistics.bytes_sent},
          {"milliseconds",
           {{"p50", milliseconds(statistics.durations.quantile(0.5))},
            {"p99", milliseconds(statistics.durations.quantile(0.99))},
            {"max", milliseconds(statistics.durations.max())}}},
          {"partitions", statistics.partitions.estimate()},
          {"partitionsExact", statistics.partitions.is_exact()},
          {"mostPartitionsPerRequest", statistics.max_partitions},
          {"example", statistics.example},
          {"firstSeen", to_string(statistics.first)},
          {"lastSeen", to_string(statistics.last)}};
}

// Takes away the numbers of entities that nobody counted.
nlohmann::json with_known_members(nlohmann::json shape, const ShapeSums& statistics) {
  if (statistics.uncounted > 0)
    for (const char* const name : {"entitiesScanned", "mostScannedPerRequest", "entitiesScannedHere",
                                   "entitiesReturned", "entitiesWritten", "bytesRead"})
      shape.erase(name);
  return shape;
}

// Text from a URL need not be UTF-8.
std::string text_of(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The text of a list whose members are made one by one.
class JsonList {
 public:
  void add(const nlohmann::json& member) { members_.append(members_.empty() ? "" : ",").append(text_of(member)); }
  std::string text() const { return "[" + members_ + "]"; }

 private:
  std::string members_;
};

nlohmann::json finding_json(const RequestFinding& finding) {
  const QueryShape& shape = finding.shape;
  return {{"id", finding.id},
          {"account", shape.account},
          {"table", shape.table},
          {"operation", shape.operation},
          {"fingerprint", shape.fingerprint},
          {"client", shape.client},
          {"test", shape.test},
          {"count", finding.count},
          {"sentence", finding.sentence},
          {"advice", find_finding_kind(finding.id)->advice},
          {"example", finding.example},
          {"design", rocktable::to_json(finding.design)}};
}

}  // namespace

Insight::Insight() : since_(rocktable::now().ticks) {}

void Insight::record(const RequestEvent& event) {
  if (event.key == nullptr || event.operation == nullptr || event.notes == nullptr) return;
  minutes_.add(event.received, event.duration, event.scanned_in_cloud);
  const Operation& operation = *event.operation;
  const auto* const query = std::get_if<QueryEntities>(&operation);
  std::string noted_table, folded, made_fingerprint;  // mostly empty: then views of others serve
  std::string_view table = event.key->table;          // in lower case; empty: none, `*`: not a valid name
  if (!event.notes->table.empty()) table = noted_table = to_lower_ascii(event.notes->table);
  std::string select_buffer, fingerprint_buffer;
  const std::string select = select_of(operation);
  if (query == nullptr) made_fingerprint = fingerprint_of_tables(operation);
  const QueryShapeView shape{event.key->account,
                             may_hold_date(table) ? (folded = folded_table(table)) : table,
                             name_of_operation(operation, event.key->operation),
                             event.plan_class,
                             bounded_text(query != nullptr ? query->shape : made_fingerprint, fingerprint_buffer),
                             bounded_text(select, select_buffer),
                             client_of(event.user_agent),
                             test_of(event.client_request_id)};
  const Keys keys = keys_of(event);
  TableAccess access{.event = event, .client = shape.client, .partition_key = {}, .row_key = {}};
  if (keys.partition != nullptr) {
    access.has_partition = true;
    access.partition_key = *keys.partition;
    access.partition = text_hash(*keys.partition);
  }
  if (keys.row != nullptr) {
    access.row = text_hash(*keys.row);
    access.row_key = *keys.row;
  }
  access.is_single = keys.row != nullptr && !std::holds_alternative<Batch>(operation);

  shapes_.add(shape, {.status = event.status,
                      .continues = event.continues,
                      .is_billed = event.is_billed ? *event.is_billed : is_billed({}, event.status),
                      .counts_entities = event.counts_entities,
                      .is_wider_in_cloud = query != nullptr && query->cloud.has_value(),
                      .entities_scanned = event.scanned_in_cloud,
                      .entities_scanned_here = event.reads.entities_scanned,
                      .entities_returned = event.reads.entities_returned,
                      .entities_written = event.notes->writes.size(),
                      .bytes_read = event.reads.bytes_read,
                      .bytes_sent = event.body_bytes,
                      .duration = event.duration,
                      .partition = access.partition,
                      .partitions = query != nullptr && query->plan.plan_class <= PlanClass::PartitionScan
                                        ? partitions_of(query->plan.ranges)
                                        : 0,
                      .method = event.method,
                      .target = event.target,
                      .time = event.received});
  if (query != nullptr) note_pages(event, shape);
  if (!table.empty() && table != "*") note_activity(event, shape, table, access);
}

// A page is open until a request continues it, unless the client asked for that many entities and got them.
void Insight::note_pages(const RequestEvent& event, const QueryShapeView& shape) {
  const auto& query = std::get<QueryEntities>(*event.operation);
  const auto& next = event.notes->next;
  if (!query.resumes && !next) return;
  const auto page = [&](const EntityKey& key) {
    return joined_hash(joined_hash(hash_of(shape), text_hash(key.partition_key)), text_hash(key.row_key));
  };
  if (query.resumes) open_pages_.close(page(*query.resumes));
  const bool is_full = query.has_top && event.reads.entities_returned >= static_cast<std::uint64_t>(query.page_size);
  if (next && !is_full) open_pages_.open(page(*next), hash_of(shape));
}

void Insight::note_activity(const RequestEvent& event, const QueryShapeView& shape, std::string_view table,
                            TableAccess& access) {
  const bool is_creation = std::holds_alternative<CreateTable>(*event.operation);
  if (!is_creation && !access.has_partition && !std::holds_alternative<QueryEntities>(*event.operation)) return;
  Shard& shard = activities_[(table.size() + static_cast<unsigned char>(table.back())) % activities_.size()];
  const std::lock_guard lock(shard.mutex);
  TableActivity* const activity = find_activity(shard, shape.account, table);
  if (activity == nullptr) return;
  if (is_creation) return activity->add_creation();
  if (access.has_partition) {
    access.is_insert = may_add_entities(*event.operation);
    if (access.is_single) {
      const auto entity = joined_hash(reinterpret_cast<std::uintptr_t>(activity) ^ access.partition, access.row);
      access.is_lost_update = is_lost_update(event, entity);
    }
  }
  activity->add(access);
}

// Returns nullptr if there are too many tables.
TableActivity* Insight::find_activity(Shard& shard, std::string_view account, std::string_view table) {
  if (shard.last != nullptr && shard.last->first.table == table && shard.last->first.account == account)
    return &shard.last->second;
  TableKey key{std::string(account), std::string(table)};
  auto found = shard.tables.find(key);
  if (found == shard.tables.end()) {
    if (table_count_ >= kMaxTables) return nullptr;
    ++table_count_;
    found = shard.tables.emplace(std::move(key), TableActivity()).first;
  }
  shard.last = &*found;
  return &found->second;
}

// Notes an entity that is read. Returns whether the request replaces one that was read before, whatever its ETag is.
bool Insight::is_lost_update(const RequestEvent& event, std::uint64_t entity) {
  auto& noted = read_entities_[entity % read_entities_.size()];
  if (event.notes->writes.empty()) {
    if (event.status == 200) noted.store(entity, std::memory_order_relaxed);
    return false;
  }
  if (noted.load(std::memory_order_relaxed) != entity) return false;
  noted.store(0, std::memory_order_relaxed);
  const Mutation& write = event.notes->writes.front();
  return write.kind == WriteKind::Replace && write.condition.kind != Condition::Kind::ETag;
}

std::string Insight::to_json(std::string_view account, DateTime now) const {
  const auto statistics = shapes_.all(account);
  const auto abandoned = open_pages_.by_shape();
  std::vector<RequestFinding> findings;
  std::vector<const std::pair<const std::size_t, std::pair<QueryShape, ShapeSums>>*> sorted;
  for (const auto& entry : statistics) sorted.push_back(&entry);
  const auto order = [](const QueryShapeView& shape) {
    return std::tuple(shape.account, shape.table, shape.operation, shape.fingerprint, shape.select, shape.plan,
                      shape.client, shape.test);
  };
  std::sort(sorted.begin(), sorted.end(), [&](const auto* a, const auto* b) {
    return order(a->second.first.view()) < order(b->second.first.view());
  });
  JsonList shapes;
  for (const auto* const entry : sorted) {
    const auto& [shape, sums] = entry->second;
    const auto open = abandoned.find(entry->first);
    const std::uint64_t pages = open == abandoned.end() ? 0 : open->second;
    shapes.add(with_known_members(shape_json(shape, sums, pages), sums));
    for (RequestFinding& finding : findings_of(shape, sums, pages)) findings.push_back(std::move(finding));
  }
  std::map<std::tuple<std::string, std::string, std::string_view>, RequestFinding>
      observed;  // of tables with a folded name
  for (const Shard& shard : activities_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [key, activity] : shard.tables) {
      if (!account.empty() && key.account != account) continue;
      for (const Observation& observation : activity.observations()) {
        RequestFinding finding = finding_of(key.account, key.table, observation);
        const auto [place, is_new] =
            observed.try_emplace({finding.shape.account, finding.shape.table, finding.id}, finding);
        if (!is_new) place->second.count += finding.count;
      }
    }
  }
  for (auto& [key, finding] : observed) findings.push_back(std::move(finding));
  JsonList list;
  for (const RequestFinding& finding : findings) list.add(finding_json(finding));
  std::string out = text_of({{"version", 1},
                             {"program", "rocktable " ROCKTABLE_VERSION},
                             {"since", to_string(DateTime{since_})},
                             {"until", to_string(rocktable::now())},
                             {"notCounted", shapes_.beyond_limit()},
                             {"minutes", minutes_.to_json(now)}});
  out.pop_back();
  out.append(R"(,"findings":)").append(list.text());
  out.append(R"(,"shapes":)").append(shapes.text());
  return out += '}';
}

void Insight::clear(std::string_view account) {
  std::set<std::size_t> shapes;
  for (const auto& [shape, entry] : shapes_.all(account)) shapes.insert(shape);
  open_pages_.forget(shapes);
  shapes_.clear(account);
  for (Shard& shard : activities_) {
    const std::lock_guard lock(shard.mutex);
    shard.last = nullptr;
    table_count_ -= std::erase_if(shard.tables,
                                  [&](const auto& entry) { return account.empty() || entry.first.account == account; });
  }
  if (!account.empty()) return;
  minutes_.clear();
  for (auto& entity : read_entities_) entity = 0;
  since_ = rocktable::now().ticks;
}

}  // namespace rocktable
