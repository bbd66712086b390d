// Writes entities to a table over several connections: transactions by partition, as large as they may be.
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
  // With WriteMode::Insert: so many of the first entities may be there already, for an earlier attempt may have written
  // them. Who is there with the same properties counts as written.
  std::uint64_t doubtful = 0;
  // Only where the entity is as it was read: its timestamp is its ETag. Not with WriteMode::Insert.
  bool if_unchanged = false;
  // Asked where an entity cannot be written for what is there, or is not (404, 409, 412): whether that is right, too.
  // Called by threads of the writer, and may throw.
  std::function<bool(const TableError&, const EntityKey&)> forgive = {};
  std::function<void(const std::string& why, std::chrono::milliseconds)> tell_pause = {};
  // Called now and then by the thread that adds, while it waits for what was added to be written.
  std::function<void()> waits = {};
};

// Entities of one partition are written in the order in which they were added, so that of two with the same key the
// last one stays; partitions side by side. What waits is bounded: `add` waits, too.
class TableWriter : public EntitySink {
 public:
  using Connect = std::function<TableClient()>;

  TableWriter(const Connect& connect, std::string table, TableWriterOptions options);
  ~TableWriter() override;  // what was not flushed may be written or not

  void add(const Entity& entity) override;
  void flush() override;
  std::uint64_t written() const override { return written_; }

 private:
  struct Transaction {
    std::vector<SerializedEntity> writes;
    std::size_t bytes = 0;
    bool doubtful = false;
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
  void commit_writes(Connection& connection, std::span<const SerializedEntity> writes, bool doubtful);
  bool is_there(Connection& connection, const SerializedEntity& write);
  bool pause(const std::string& why, std::chrono::milliseconds time);
  [[noreturn]] void refuse(const TableError& error, std::span<const SerializedEntity> writes) const;

  std::string table_;
  TableWriterOptions options_;
  std::string address_;
  std::map<std::string, Transaction> open_;  // by partition key
  std::size_t open_bytes_ = 0, open_writes_ = 0;
  std::uint64_t added_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::atomic<std::uint64_t> written_ = 0;

  std::mutex mutex_;  // of all below, and of what waits at the connections
  std::condition_variable work_, room_, stop_;
  std::size_t waiting_bytes_ = 0;  // and what is being written
  bool stopping_ = false;
  std::exception_ptr failure_;  // the first one
};

}  // namespace rocktable
