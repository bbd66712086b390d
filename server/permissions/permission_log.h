// Notes what callers with a bearer token or a shared access signature needed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/threads/mutex.h"
#include "server/access/roles/roles.h"
#include "server/events/request_event.h"

namespace rocktable {

// Thread-safe. Memory is bounded by kMaxCallers and kMaxTables.
class PermissionLog : public RequestEventSink {
 public:
  static constexpr std::size_t kMaxCallers = 1'000;  // further callers are only counted
  static constexpr std::size_t kMaxTables = 100;     // of a caller; with more it needs the account

  // `roles`: names identities.
  explicit PermissionLog(std::shared_ptr<const Roles> roles) : roles_(std::move(roles)) {}

  // Ignores the owners of account keys, and requests that were refused before their operation was known.
  void record(const RequestEvent& event) override;

  // {"callers": [...], "notCounted": 0}, of one account or of all (empty); docs/identity.md describes it.
  nlohmann::json to_json(std::string_view account) const;

  // Forgets the callers of one account or of all (empty).
  void clear(std::string_view account);

 private:
  struct CallerKey {
    std::string account;
    Caller::Kind kind;
    std::string who;    // object id of the token, or of the owner of the key of a signature
    std::string table;  // of a signature of one table
    auto operator<=>(const CallerKey&) const = default;
  };

  struct Needs {
    std::uint64_t requests = 0;
    ActionSet actions;
    bool of_account = false;  // an action needs the account, or there are too many tables
    std::set<std::string> tables;
    std::string letters, resource_types;  // of signatures
    // The partitions that were read or written; nullopt: none yet.
    std::optional<std::string> first_partition, last_partition;
    bool all_partitions = false;
  };

  static void note(Needs& needs, const Operation& operation, std::string_view table);
  static void note_batch(Needs& needs, const RequestEvent& event);
  static void note_keys(Needs& needs, const RequestEvent& event);
  static void note_partition(Needs& needs, const std::string& partition_key);
  static nlohmann::json sas_json(const CallerKey& key, const Needs& needs);
  nlohmann::json caller_json(const CallerKey& key, const Needs& needs) const;

  const std::shared_ptr<const Roles> roles_;
  mutable Mutex mutex_;  // guards all that follows
  std::map<CallerKey, Needs> callers_;
  std::uint64_t not_counted_ = 0;
};

}  // namespace rocktable
