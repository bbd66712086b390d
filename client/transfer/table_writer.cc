#include "client/transfer/table_writer.h"

#include <algorithm>

#include "odata/files/entity_fault.h"
#include "odata/payload_reader.h"

namespace rocktable {
namespace {

// Limits for incomplete transactions and for the queue, to bound memory.
constexpr std::size_t kMaxOpenBytes = 8 << 20;
constexpr std::size_t kMaxOpenWrites = 20'000;
constexpr std::size_t kMaxWaitingBytes = 16 << 20;
constexpr std::chrono::milliseconds kLook{100};  // interval of on_wait calls
constexpr std::size_t kFrameBytes = 1024;        // of a transaction, apart from its writes

constexpr int kTooLarge = 413;

// Whether the write failed because of the state of the entity or table.
bool is_state_conflict(const TableError& error) {
  constexpr int kNotFound = 404, kConflict = 409, kPreconditionFailed = 412;
  return error.status == kNotFound || error.status == kConflict || error.status == kPreconditionFailed;
}

}  // namespace

TableWriter::TableWriter(const Connect& connect, std::string table, TableWriterOptions options)
    : table_(std::move(table)), options_(std::move(options)) {
  for (int i = 0; i < options_.connections; ++i)
    connections_.push_back(std::make_unique<Connection>(Connection{connect(), {}, {}}));
  address_ = connections_.front()->client.endpoint().address();
  for (auto& connection : connections_)
    connection->thread = std::thread([this, &connection = *connection] { work(connection); });
}

TableWriter::~TableWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  stop_.notify_all();
  for (auto& connection : connections_) connection->thread.join();
}

// --- Collecting: the caller's thread -----------------------------------------------------------------------

SerializedEntity TableWriter::write_of(const Entity& entity) const {
  SerializedEntity out =
      options_.mode == WriteMode::Delete ? SerializedEntity{entity.key, {}} : serialize_entity(entity);
  if (options_.if_unchanged) out.if_match = known_etag(entity);
  return out;
}

void TableWriter::add(const Entity& entity) {
  SerializedEntity write = write_of(entity);
  const std::size_t bytes = bytes_in_transaction(write, address_);
  Transaction& open = open_[entity.key.partition_key];
  const bool is_full =
      open.writes.size() == kMaxTransactionWrites || open.bytes + bytes + kFrameBytes > kMaxTransactionBytes;
  const bool is_repeated = std::any_of(open.writes.begin(), open.writes.end(),
                                       [&](const auto& other) { return other.key.row_key == entity.key.row_key; });
  if (is_full || is_repeated) {
    open_bytes_ -= open.bytes;
    open_writes_ -= open.writes.size();
    dispatch(std::exchange(open, {}));
  }
  open.maybe_written = open.maybe_written || added_ < options_.maybe_written;
  open.writes.push_back(std::move(write));
  open.bytes += bytes;
  open_bytes_ += bytes;
  ++open_writes_;
  ++added_;
  if (open_bytes_ > kMaxOpenBytes || open_writes_ > kMaxOpenWrites) dispatch_all();
}

void TableWriter::dispatch_all() {
  for (auto& [partition, transaction] : open_)
    if (!transaction.writes.empty()) dispatch(std::move(transaction));
  open_.clear();
  open_bytes_ = open_writes_ = 0;
}

// Uses one connection per partition, which preserves the order.
void TableWriter::dispatch(Transaction transaction) {
  const std::size_t hash = std::hash<std::string>{}(transaction.writes.front().key.partition_key);
  Connection& connection = *connections_[hash % connections_.size()];
  std::unique_lock lock(mutex_);
  wait_for_room(lock, [&] { return failure_ || waiting_bytes_ < kMaxWaitingBytes; });
  check_failure();
  waiting_bytes_ += transaction.bytes;
  connection.waiting.push_back(std::move(transaction));
  lock.unlock();
  work_.notify_all();
}

void TableWriter::wait_for_room(std::unique_lock<std::mutex>& lock, const std::function<bool()>& is_enough) {
  while (!room_.wait_for(lock, kLook, is_enough)) {
    if (!options_.on_wait) continue;
    lock.unlock();
    options_.on_wait();
    lock.lock();
  }
}

void TableWriter::flush() {
  dispatch_all();
  std::unique_lock lock(mutex_);
  wait_for_room(lock, [&] { return failure_ || waiting_bytes_ == 0; });
  check_failure();
}

void TableWriter::check_failure() {
  if (failure_) std::rethrow_exception(failure_);
}

// --- Writing: a thread for each connection -----------------------------------------------------------------

void TableWriter::work(Connection& connection) {
  for (;;) {
    std::unique_lock lock(mutex_);
    work_.wait(lock, [&] { return stopping_ || failure_ || !connection.waiting.empty(); });
    if (stopping_ || failure_) return;
    Transaction transaction = std::move(connection.waiting.front());
    connection.waiting.pop_front();
    lock.unlock();
    std::exception_ptr failure;
    try {
      commit(connection, transaction);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    waiting_bytes_ -= transaction.bytes;
    if (failure && !failure_) failure_ = failure;
    const bool failed = failure_ != nullptr;
    lock.unlock();
    room_.notify_all();
    if (!failed) continue;
    work_.notify_all();
    stop_.notify_all();
    return;
  }
}

void TableWriter::commit(Connection& connection, Transaction& transaction) {
  commit_writes(connection, transaction.writes, transaction.maybe_written);
}

void TableWriter::commit_writes(Connection& connection, std::span<const SerializedEntity> writes, bool maybe_written) {
  const auto outcome = with_retries(
      options_.policy, [this](const auto& why, auto time) { return pause(why, time); },
      [&](int attempt) {
        maybe_written = maybe_written || attempt > 1;  // the previous attempt may have been executed
        return connection.client.write(table_, options_.mode, writes);
      });
  if (outcome) {
    written_ += writes.size();
    return;
  }
  const TableError& error = outcome.error();
  maybe_written = maybe_written || error.sent_twice;
  const bool may_be_ours = maybe_written && options_.mode == WriteMode::Insert && error.code == "EntityAlreadyExists";
  if (may_be_ours && writes.size() == 1 && exists(connection, writes.front())) {
    ++written_;
  } else if (writes.size() > 1 && may_be_ours) {
    for (const auto& write : writes) commit_writes(connection, {&write, 1}, true);
  } else if (writes.size() > 1 && options_.tolerate && is_state_conflict(error)) {
    for (const auto& write : writes) commit_writes(connection, {&write, 1}, maybe_written);
  } else if (writes.size() == 1 && options_.tolerate && is_state_conflict(error) &&
             options_.tolerate(error, writes.front().key)) {
    return;
  } else if (writes.size() > 1 && error.status == kTooLarge) {
    commit_writes(connection, writes.first(writes.size() / 2), maybe_written);
    commit_writes(connection, writes.subspan(writes.size() / 2), maybe_written);
  } else {
    refuse(error, writes);
  }
}

bool TableWriter::exists(Connection& connection, const SerializedEntity& write) {
  const auto found = with_retries(
      options_.policy, [this](const auto& why, auto time) { return pause(why, time); },
      [&](int) { return connection.client.get(table_, write.key); });
  const auto ours = read_entity(write.body);
  return found && ours && found->properties == ours->properties;
}

bool TableWriter::pause(const std::string& why, std::chrono::milliseconds time) {
  if (options_.on_pause) options_.on_pause(why, time);
  std::unique_lock lock(mutex_);
  return !stop_.wait_for(lock, time, [&] { return stopping_ || failure_; });
}

void TableWriter::refuse(const TableError& error, std::span<const SerializedEntity> writes) const {
  std::string what = "the table " + table_ + " at " + address_ + " rejects ";
  const bool is_one = writes.size() == 1 || (error.position && *error.position < writes.size());
  if (is_one) {
    const EntityKey& key = writes[error.position.value_or(0) < writes.size() ? error.position.value_or(0) : 0].key;
    what += "the entity (" + quoted_for_message(key.partition_key) + ", " + quoted_for_message(key.row_key) + ")";
  } else {
    what += std::to_string(writes.size()) + " entities of the partition " +
            quoted_for_message(writes.front().key.partition_key);
  }
  throw std::runtime_error(what + ": " + error.sentence());
}

}  // namespace rocktable
