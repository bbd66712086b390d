// Access to the account that is migrated. Retries transient failures, and sends no more requests after
// stop().
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

// A property of a row that this program wrote. Returns nullptr if there is none, or it has another type.
template <class T>
const T* find_property(const Entity& row, std::string_view name) {
  for (const auto& property : row.properties)
    if (property.name == name) return std::get_if<T>(&property.value);
  return nullptr;
}

// Thread-safe, except for the writers that it returns. All functions throw std::runtime_error with a
// sentence.
class MigrationClient {
 public:
  using Report = std::function<void(const std::string&)>;

  MigrationClient(TableEndpoint endpoint, HttpOptions http, Report report);

  // Creates the table. Returns false if it exists already.
  bool create_table(const std::string& name);
  // Deletes the table, if it exists.
  void delete_table(const std::string& name);
  bool has_table(const std::string& name);
  // Throws if the table does not exist.
  void require_table(const std::string& name);

  // Returns nullopt if the entity or the table does not exist.
  std::optional<Entity> get(const std::string& table, const EntityKey& key);
  // Returns false if the entity exists already.
  bool insert(const std::string& table, const Entity& entity);
  void put(const std::string& table, const Entity& entity);
  // Writes only if the entity has not changed since it was read (its timestamp is its ETag). Returns false if
  // it has changed or was deleted.
  bool put_if_unchanged(const std::string& table, const Entity& entity);
  // Likewise; an entity that was deleted already counts as removed.
  bool remove_if_unchanged(const std::string& table, const Entity& entity);
  void remove(const std::string& table, const EntityKey& key);

  // Whether an entity matches the filter. A missing table has none.
  bool has_entity(const std::string& table, const std::string& filter);

  // Visits entities in key order and returns their number. A missing table is an error, unless
  // `may_be_missing`.
  std::uint64_t for_each(const std::string& table, const std::string& filter, const std::function<void(Entity&)>& visit,
                         bool may_be_missing = false);

  // Returns a writer with several connections; call flush() at the end.
  std::unique_ptr<TableWriter> open_writer(const std::string& table, TableWriterOptions options) const;

  // Stops all work soon: other threads get `why` as a std::runtime_error. Callable from any thread.
  void stop(const std::string& why);
  // Throws if stop() was called.
  void check() const;

  const std::string& account() const { return account_; }

 private:
  template <class Request>
  auto send(const Request& request);
  TableResult<void> write(const std::string& table, WriteMode mode, const SerializedEntity& write);
  void report_pause(const std::string& why, std::chrono::milliseconds time) const;
  bool pause(const std::string& why, std::chrono::milliseconds time) const;

  const TableEndpoint endpoint_;
  const HttpOptions http_;
  const std::string account_;  // address of the account
  const Report report_;
  std::mutex mutex_;  // guards client_
  TableClient client_;
  std::atomic<bool> reached_ = false;
  std::atomic<bool> stopped_ = false;
  mutable std::mutex why_mutex_;
  std::string why_;
};

}  // namespace rocktable::migration
