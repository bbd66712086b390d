// The writes of an undo, and the report of it. A dry run reads and reports, and writes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/migration/migration_client.h"

namespace rocktable::migration {

// Whether both have the same properties, in any order.
bool same_properties(const Entity& a, const Entity& b);

class UndoClient {
 public:
  UndoClient(MigrationClient& client, bool is_dry_run) : client_(client), is_dry_run_(is_dry_run) {}

  bool is_dry_run() const { return is_dry_run_; }
  MigrationClient& read() { return client_; }

  // Removes the entity if it has not changed since it was read. Returns whether it is gone.
  bool remove(const std::string& table, const Entity& entity);
  // Returns false if an entity with that key exists. A dry run returns true.
  bool insert(const std::string& table, const Entity& entity);
  void delete_table(const std::string& table);

  // How many entities of the table a dry run would have removed.
  std::uint64_t removed(const std::string& table) const;

  void report_undone(std::string sentence) { undone_.push_back(std::move(sentence)); }
  void report_stays(std::string sentence) { stays_.push_back(std::move(sentence)); }
  const std::vector<std::string>& undone() const { return undone_; }
  const std::vector<std::string>& stays() const { return stays_; }

 private:
  MigrationClient& client_;
  const bool is_dry_run_;
  std::map<std::string, std::uint64_t> removed_;
  std::vector<std::string> undone_, stays_;
};

}  // namespace rocktable::migration
