// The tables of an account as they would be after some steps. Tables that no step has changed are read from the
// account.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/text.h"
#include "client/migration/migration.h"
#include "client/migration/migration_client.h"

namespace rocktable::migration {

// Of all tables in memory. Keys and values are counted with what their containers add, so this is approximate.
inline constexpr std::size_t kPreviewBytes = std::size_t{128} << 20;

struct KeyLess {
  bool operator()(const EntityKey& a, const EntityKey& b) const {
    const auto order = compare_utf16(a.partition_key, b.partition_key);
    return order != 0 ? order < 0 : compare_utf16(a.row_key, b.row_key) < 0;
  }
};

class SimulatedAccount {
 public:
  SimulatedAccount(MigrationClient& client, std::size_t max_bytes) : client_(client), max_bytes_(max_bytes) {}

  bool exists(const std::string& table);
  void create(const std::string& table);
  void remove(const std::string& table);
  void clear(const std::string& table);

  // Reads the table into memory, so that it can be changed. Returns false if it does not fit.
  bool hold(const std::string& table);
  bool is_held(const std::string& table) const;
  // What the table has from here is not known.
  void forget(const std::string& table);
  bool is_unknown(const std::string& table) const;

  // Visits the selected entities in key order. In a held table `visit` may change properties; if they do not fit,
  // the table is forgotten. The table must be known; a missing one has no entities.
  void for_each(const std::string& table, const EntitySelection& which, const std::function<void(Entity&)>& visit);
  std::optional<Entity> get(const std::string& table, const EntityKey& key);

  // Only of held tables. put() forgets the table if it does not fit any more.
  void put(const std::string& table, Entity entity);
  void erase(const std::string& table, const EntityKey& key);

 private:
  using Entities = std::map<EntityKey, Entity, KeyLess>;
  enum class Content { Missing, InMemory, Unknown };
  struct Table {
    Content content = Content::Missing;
    Entities entities;
    std::size_t bytes = 0;
  };

  const Table* find(const std::string& table) const;
  Table& changed(const std::string& table, Content content);
  void drop(Table& table);

  MigrationClient& client_;
  const std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::map<std::string, Table> tables_;  // by name in lower case; others are as in the account
};

}  // namespace rocktable::migration
