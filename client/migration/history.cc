#include "client/migration/history.h"

#include <cstring>
#include <sstream>

namespace rocktable::migration {
namespace {

constexpr const char* kApplied = "versionData";
constexpr const char* kRunning = "versionDataRunning";

// The library stores Version as a string or a number, depending on its own version.
std::string text_of(const Entity& entity, std::string_view name) {
  if (const auto* text = find_property<std::string>(entity, name)) return *text;
  if (const auto* number = find_property<std::int32_t>(entity, name)) return std::to_string(*number);
  return {};
}

int number_of(const Entity& entity, std::string_view name) {
  const auto* number = find_property<std::int32_t>(entity, name);
  return number == nullptr ? 0 : *number;
}

constexpr std::size_t kMaxDigests = kMaxBinaryBytes / StepDigest().size();

Value to_bytes(const std::vector<StepDigest>& digests) {
  Binary out;
  if (digests.size() > kMaxDigests) return out;
  for (const auto& digest : digests) out.bytes.append(digest.begin(), digest.end());
  return out;
}

std::vector<StepDigest> digests_in(const Entity& entity) {
  const auto* binary = find_property<Binary>(entity, "Digests");
  constexpr std::size_t kSize = StepDigest().size();
  std::vector<StepDigest> out(binary == nullptr ? 0 : binary->bytes.size() / kSize);
  for (std::size_t i = 0; i < out.size(); ++i) std::memcpy(out[i].data(), binary->bytes.data() + i * kSize, kSize);
  return out;
}

std::string joined_by_commas(const std::vector<std::string>& tables) {
  std::string out;
  for (const auto& table : tables) out += (out.empty() ? "" : ",") + table;
  return out;
}

std::vector<std::string> split_by_commas(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, ',');) out.push_back(one);
  return out;
}

bool flag_of(const Entity& entity, std::string_view name) {
  const auto* flag = find_property<bool>(entity, name);
  return flag != nullptr && *flag;
}

// Calls `visit` with the id and the entity of each row.
void for_each_row(MigrationClient& client, const char* partition,
                  const std::function<void(std::int64_t, const Entity&)>& visit) {
  const std::string filter = EntitySelection{partition, {}, {}}.to_filter();
  const auto read = [&](const Entity& entity) {
    if (const auto id = parse_int64(entity.key.row_key)) visit(*id, entity);
  };
  client.for_each(kHistoryTable, filter, read, true);
}

}  // namespace

std::map<std::int64_t, AppliedMigration> History::applied() const {
  std::map<std::int64_t, AppliedMigration> out;
  for_each_row(client_, kApplied, [&](std::int64_t id, const Entity& entity) {
    AppliedMigration row{text_of(entity, "Version"), text_of(entity, "Description"), text_of(entity, "Checksum"), {}};
    if (const auto* ended = find_property<DateTime>(entity, "Ended")) row.ended = *ended;
    out.emplace(id, std::move(row));
  });
  return out;
}

std::map<std::int64_t, RunningMigration> History::running() const {
  std::map<std::int64_t, RunningMigration> out;
  for_each_row(client_, kRunning, [&](std::int64_t id, const Entity& entity) {
    RunningMigration row{text_of(entity, "Checksum"), {}, number_of(entity, "Step"), number_of(entity, "Phase")};
    if (const auto* started = find_property<DateTime>(entity, "Started")) row.started = *started;
    row.digests = digests_in(entity);
    row.created = split_by_commas(text_of(entity, "Created"));
    row.rekeyed_table = text_of(entity, "RekeyedTable");
    row.keep_old = flag_of(entity, "KeepOld");
    if (const auto* skipped = find_property<std::string>(entity, "Skipped"))
      row.skipped = MissingEntities::from_text(*skipped);
    row.aborting = flag_of(entity, "Aborting");
    out.emplace(id, std::move(row));
  });
  return out;
}

void History::record_running(std::int64_t id, const RunningMigration& running) {
  client_.put(kHistoryTable, {{kRunning, std::to_string(id)},
                              {},
                              {{"Checksum", running.checksum},
                               {"Started", running.started},
                               {"Step", std::int32_t{running.step}},
                               {"Phase", std::int32_t{running.phase}},
                               {"Digests", to_bytes(running.digests)},
                               {"Created", joined_by_commas(running.created)},
                               {"RekeyedTable", running.rekeyed_table},
                               {"KeepOld", running.keep_old},
                               {"Skipped", running.skipped.to_text()},
                               {"Aborting", running.aborting}}});
}

// Writes the applied row before it deletes the running row: a migration in both partitions counts as applied.
void History::record_applied(const Migration& migration, DateTime started) {
  const std::string id = std::to_string(migration.id);
  client_.put(kHistoryTable, {{kApplied, id},
                              {},
                              {{"Version", migration.version},
                               {"Description", migration.description},
                               {"Checksum", checksum(migration)},
                               {"Started", started},
                               {"Ended", now()}}});
  client_.remove(kHistoryTable, {kRunning, id});
}

void History::forget_running(std::int64_t id) { client_.remove(kHistoryTable, {kRunning, std::to_string(id)}); }

}  // namespace rocktable::migration
