// Writes entities to a table over several connections, in transactions that are as large as possible.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "client/retry.h"
#include "client/table_client.h"
#include "client/transfer/entity_sink.h"

namespace rocktable {

struct TableWriterOptions {
  int connections = 8;
  WriteMode mode = WriteMode::Replace;
  RetryPolicy policy = {};
  // With WriteMode::Insert: this many of the first entities may exist already, because an earlier attempt may
  // have inserted them. An existing entity with the same properties counts as written.
  std::uint64_t maybe_written = 0;
  // Conditional writes: only if the entity has not changed since it was read. The timestamp is its ETag. Not
  // with WriteMode::Insert.
  bool if_unchanged = false;
  // Called if a write fails because of the entity's state (404, 409, 412). Returns true to skip the entity,
  // false to fail. Called from threads of the writer; may throw.
  std::function<bool(const TableError&, const EntityKey&)> tolerate = {};
  std::function<void(const std::string& why, std::chrono::milliseconds)> on_pause = {};
  // Called repeatedly by the thread in add() or flush() while it waits for writes.
  std::function<void()> on_wait = {};
};

// Entities of one partition are written in the order in which they were added, so the last one with a key
// wins; partitions are written in parallel. The queue is bounded: add() blocks while it is full.
class TableWriter : public EntitySink {
 public:
  using Connect = std::function<TableClient()>;

  TableWriter(const Connect& connect, std::string table, TableWriterOptions options);
  ~TableWriter() override;  // entities that were not flushed may or may not be written

  void add(const Entity& entity) override;
  void flush() override;
  std::uint64_t written() const override { return written_; }

 private:
  struct Transaction {
    std::vector<SerializedEntity> writes;
    std::size_t bytes = 0;
    bool maybe_written = false;
  };
  struct Connection {
    TableClient client;
    std::deque<Transaction> waiting;
    std::thread thread;
  };

  SerializedEntity write_of(const Entity& entity) const;
  void dispatch(Transaction transaction);
  void dispatch_all();
  void wait_for_room(std::unique_lock<std::mutex>& lock, const std::function<bool()>& is_enough);
  void check_failure();
  void work(Connection& connection);
  void commit(Connection& connection, Transaction& transaction);
  void commit_writes(Connection& connection, std::span<const SerializedEntity> writes, bool maybe_written);
  bool exists(Connection& connection, const SerializedEntity& write);
  bool pause(const std::string& why, std::chrono::milliseconds time);
  [[noreturn]] void refuse(const TableError& error, std::span<const SerializedEntity> writes) const;

  std::string table_;
  TableWriterOptions options_;
  std::string address_;
  std::map<std::string, Transaction> open_;  // incomplete transactions by partition key
  std::size_t open_bytes_ = 0, open_writes_ = 0;
  std::uint64_t added_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::atomic<std::uint64_t> written_ = 0;

  std::mutex mutex_;  // guards all members below, and Connection::waiting
  std::condition_variable work_, room_, stop_;
  std::size_t waiting_bytes_ = 0;  // including transactions that are being written
  bool stopping_ = false;
  std::exception_ptr failure_;  // the first one
};

}  // namespace rocktable
