// Observes all requests: what each shape of request costs, and which findings that gives (docs/insight.md).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/threads/mutex.h"
#include "server/events/request_event.h"
#include "server/insight/open_pages.h"
#include "server/insight/recent_minutes.h"
#include "server/insight/shape_table.h"
#include "server/insight/table_activity.h"

namespace rocktable {

// Thread-safe. Memory is bounded: by ShapeTable::kMaxShapes, OpenPages::kMaxPages and kMaxTables.
class Insight : public RequestEventSink {
 public:
  static constexpr std::size_t kMaxTables = 2'000;  // further tables have no detectors of their own

  Insight();

  // Ignores requests that were refused before their operation was known.
  void record(const RequestEvent& event) override;

  // {"version", "program", "since", "until", "notCounted", "shapes": [...], "findings": [...], "minutes": [...]}
  // (docs/control-api.md), of one account or of all (empty). `now`: the time of the emulator.
  // A text, made in pieces: the document of 10,000 shapes would take several times as much.
  std::string to_json(std::string_view account, DateTime now) const;

  // Begins again, for one account or for all (empty).
  void clear(std::string_view account = {});

 private:
  struct TableKey {
    std::string account, table;  // lower case
    auto operator<=>(const TableKey&) const = default;
  };
  struct Shard {
    mutable Mutex mutex;
    std::map<TableKey, TableActivity> tables;
    std::pair<const TableKey, TableActivity>* last = nullptr;  // requests are often alike
  };

  void note_pages(const RequestEvent& event, const QueryShapeView& shape);
  void note_activity(const RequestEvent& event, const QueryShapeView& shape, std::string_view table,
                     TableAccess& access);
  TableActivity* find_activity(Shard& shard, std::string_view account, std::string_view table);
  bool is_lost_update(const RequestEvent& event, std::uint64_t entity);

  ShapeTable shapes_;
  RecentMinutes minutes_;  // of all accounts
  OpenPages open_pages_;
  std::array<Shard, 16> activities_;
  std::atomic<std::size_t> table_count_ = 0;
  std::array<std::atomic<std::uint64_t>, 4096> read_entities_{};  // hashes, each at a place of its own
  std::atomic<std::int64_t> since_;                               // ticks
};

}  // namespace rocktable
