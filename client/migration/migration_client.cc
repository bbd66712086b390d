#include "client/migration/migration_client.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace rocktable::migration {
namespace {

constexpr std::chrono::seconds kLongPause{2};  // shorter pauses are not reported
constexpr std::chrono::milliseconds kLook{100};

bool is(const TableError& error, std::string_view code) { return error.code == code; }

[[noreturn]] void refuse(const std::string& what, const TableError& error) {
  throw std::runtime_error(what + ": " + error.sentence());
}

}  // namespace

MigrationClient::MigrationClient(TableEndpoint endpoint, HttpOptions http, Report report)
    : endpoint_(std::move(endpoint)),
      http_(std::move(http)),
      account_(endpoint_.address()),
      report_(std::move(report)),
      client_(endpoint_, http_) {}

void MigrationClient::stop(const std::string& why) {
  const std::lock_guard lock(why_mutex_);
  if (!stopped_) why_ = why;
  stopped_ = true;
}

void MigrationClient::check() const {
  if (!stopped_) return;
  const std::lock_guard lock(why_mutex_);
  throw std::runtime_error(why_);
}

void MigrationClient::report_pause(const std::string& why, std::chrono::milliseconds time) const {
  if (time >= kLongPause && report_) report_("retrying in " + std::to_string(time.count() / 1000) + " s: " + why);
}

bool MigrationClient::pause(const std::string& why, std::chrono::milliseconds time) const {
  report_pause(why, time);
  for (auto left = time; left.count() > 0 && !stopped_; left -= kLook)
    std::this_thread::sleep_for(std::min(left, kLook));
  return !stopped_;
}

template <class Request>
auto MigrationClient::send(const Request& request) {
  check();
  RetryPolicy policy;
  policy.reached_before = reached_;
  const std::lock_guard lock(mutex_);
  auto answer = with_retries(
      policy, [this](const auto& why, auto time) { return pause(why, time); },
      [&](int attempt) { return request(client_, attempt); });
  reached_ = true;
  return answer;
}

// --- Tables ------------------------------------------------------------------------------------------------

bool MigrationClient::create_table(const std::string& name) {
  const auto answer = send([&](TableClient& client, int) { return client.create_table(name); });
  if (answer) return true;
  if (is(answer.error(), "TableAlreadyExists")) return false;
  refuse("the table " + name + " cannot be created", answer.error());
}

void MigrationClient::delete_table(const std::string& name) {
  const auto answer = send([&](TableClient& client, int) -> TableResult<void> {
    auto done = client.delete_table(name);
    // A deletion is in progress, so the table counts as deleted.
    if (!done && is(done.error(), "TableBeingDeleted")) return {};
    return done;
  });
  if (!answer && answer.error().status != kNotFound) refuse("the table " + name + " cannot be deleted", answer.error());
}

bool MigrationClient::has_table(const std::string& name) {
  const auto page = send([&](TableClient& client, int) { return client.query(name, "", 1, {}); });
  if (!page && !is(page.error(), "TableNotFound")) refuse("the table " + name + " cannot be read", page.error());
  return page.has_value();
}

void MigrationClient::require_table(const std::string& name) {
  const auto page = send([&](TableClient& client, int) { return client.query(name, "", 1, {}); });
  if (!page) refuse("the table " + name + " cannot be read", page.error());
}

// --- Single entities ---------------------------------------------------------------------------------------

std::optional<Entity> MigrationClient::get(const std::string& table, const EntityKey& key) {
  auto answer = send([&](TableClient& client, int) { return client.get(table, key); });
  if (answer) return std::move(*answer);
  if (answer.error().status == kNotFound) return std::nullopt;
  refuse("an entity of the table " + table + " cannot be read", answer.error());
}

TableResult<void> MigrationClient::write(const std::string& table, WriteMode mode, const SerializedEntity& write) {
  return send([&](TableClient& client, int) { return client.write(table, mode, {&write, 1}); });
}

bool MigrationClient::insert(const std::string& table, const Entity& entity) {
  const auto answer = write(table, WriteMode::Insert, serialize_entity(entity));
  if (answer) return true;
  if (is(answer.error(), "EntityAlreadyExists")) return false;
  refuse("the table " + table + " rejects an entity", answer.error());
}

void MigrationClient::put(const std::string& table, const Entity& entity) {
  const auto answer = write(table, WriteMode::Replace, serialize_entity(entity));
  if (!answer) refuse("the table " + table + " rejects an entity", answer.error());
}

bool MigrationClient::put_if_unchanged(const std::string& table, const Entity& entity) {
  SerializedEntity conditional = serialize_entity(entity);
  conditional.if_match = known_etag(entity);
  const auto answer = write(table, WriteMode::Replace, conditional);
  if (answer) return true;
  if (answer.error().status == kPreconditionFailed || answer.error().status == kNotFound) return false;
  refuse("the table " + table + " rejects an entity", answer.error());
}

bool MigrationClient::remove_if_unchanged(const std::string& table, const Entity& entity) {
  const auto answer = write(table, WriteMode::Delete, {entity.key, {}, known_etag(entity)});
  if (answer || answer.error().status == kNotFound) return true;
  if (answer.error().status == kPreconditionFailed) return false;
  refuse("an entity of the table " + table + " cannot be deleted", answer.error());
}

void MigrationClient::remove(const std::string& table, const EntityKey& key) {
  const auto answer = write(table, WriteMode::Delete, {key, {}, {}});
  if (!answer && answer.error().status != kNotFound)
    refuse("an entity of the table " + table + " cannot be deleted", answer.error());
}

// --- Many entities -----------------------------------------------------------------------------------------

bool MigrationClient::has_entity(const std::string& table, const std::string& filter) {
  EntityContinuation from;
  do {
    const auto page = send([&](TableClient& client, int) { return client.query(table, filter, 1, from); });
    if (!page && is(page.error(), "TableNotFound")) return false;
    if (!page) refuse("the table " + table + " cannot be read", page.error());
    if (!(*page)->entities.empty()) return true;
    from = (*page)->next;
  } while (!from.empty());
  return false;
}

std::uint64_t MigrationClient::for_each(const std::string& table, const std::string& filter,
                                        const std::function<void(Entity&)>& visit, bool may_be_missing) {
  check();
  if (may_be_missing && !has_table(table)) return 0;
  RetryPolicy policy;
  policy.reached_before = reached_;
  TableSource source(TableClient(endpoint_, http_), table, filter, policy,
                     [this](const auto& why, auto time) { return pause(why, time); });
  std::uint64_t count = 0;
  while (auto entity = source.next()) {
    check();
    visit(*entity);
    ++count;
  }
  return count;
}

std::unique_ptr<TableWriter> MigrationClient::open_writer(const std::string& table, TableWriterOptions options) const {
  check();
  options.policy.reached_before = reached_;
  options.on_pause = [this](const auto& why, auto time) { report_pause(why, time); };
  return std::make_unique<TableWriter>([this] { return TableClient(endpoint_, http_); }, table, std::move(options));
}

}  // namespace rocktable::migration
