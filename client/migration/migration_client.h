// An account as migrations work on it: each request is tried again where that is worth it, and none is sent any more
// once the runner must stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "client/table_client.h"
#include "client/transfer/entity_source.h"
#include "client/transfer/table_writer.h"

namespace rocktable::migration {

// Thread-safe but for what it hands out. All throw std::runtime_error with a sentence.
class MigrationClient {
 public:
  using Tell = std::function<void(const std::string&)>;

  MigrationClient(TableEndpoint endpoint, HttpOptions http, Tell tell);

  // Afterwards it is there; false: it was already.
  bool create_table(const std::string& name);
  // Afterwards it is not.
  void delete_table(const std::string& name);

  // Nothing where there is no such entity, or no such table.
  std::optional<Entity> get(const std::string& table, const EntityKey& key);
  // False: there is one already.
  bool insert(const std::string& table, const Entity& entity);
  void put(const std::string& table, const Entity& entity);
  // As it was read, by its timestamp; false: it has changed since, or is gone.
  bool put_if_unchanged(const std::string& table, const Entity& entity);
  bool remove_if_unchanged(const std::string& table, const Entity& entity);
  void remove(const std::string& table, const EntityKey& key);

  // In order of their keys. Returns how many there were. A table that is missing is an error, unless `may_be_missing`.
  std::uint64_t for_each(const std::string& table, const std::string& filter,
                         const std::function<void(Entity&)>& visit, bool may_be_missing = false);

  // Writes side by side; flush() at the end.
  std::unique_ptr<TableWriter> open_writer(const std::string& table, TableWriterOptions options) const;

  // From another thread: whatever is at work ends soon, with this sentence.
  void stop(const std::string& why);
  // Throws where it was stopped.
  void check() const;

  const std::string& account() const { return account_; }

 private:
  template <class Ask>
  auto ask(const Ask& request);
  TableResult<void> write(const std::string& table, WriteMode mode, const SerializedEntity& write);
  void tell_pause(const std::string& why, std::chrono::milliseconds time) const;
  bool pause(const std::string& why, std::chrono::milliseconds time) const;

  const TableEndpoint endpoint_;
  const HttpOptions http_;
  const std::string account_;  // its address
  const Tell tell_;
  std::mutex mutex_;  // of the client
  TableClient client_;
  std::atomic<bool> reached_ = false;
  std::atomic<bool> stopped_ = false;
  mutable std::mutex why_mutex_;
  std::string why_;
};

}  // namespace rocktable::migration
