// Destinations of entities: a file (here), or a table (client/transfer/table_writer.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/transfer/partial_file.h"
#include "odata/files/entity_format.h"

namespace rocktable {

class EntitySink {
 public:
  virtual ~EntitySink() = default;

  // Throws std::runtime_error with a sentence; the failure may concern entities that were added before.
  virtual void add(const Entity& entity) = 0;
  // Makes all added entities durable.
  virtual void flush() = 0;
  // Number of entities that are known to be written.
  virtual std::uint64_t written() const = 0;
};

struct FileSinkOptions {
  EntityFormat format = EntityFormat::Ndjson;
  std::vector<std::string> columns;  // columns of a CSV
  bool escape_formulas = false;      // only in a CSV
  std::uint64_t keep_bytes = 0;      // of an earlier attempt, to append to; 0: start from scratch
};

// Writes `FILE.partial` and renames it to FILE when it is complete; or standard output (`-`).
class FileSink : public EntitySink {
 public:
  // Throws std::runtime_error.
  FileSink(std::string file, FileSinkOptions options);

  void add(const Entity& entity) override;
  void flush() override;
  std::uint64_t written() const override { return flushed_; }

  // Size of the file; valid after flush().
  std::uint64_t bytes() const;
  // Renames the file to its final name. Throws std::runtime_error.
  void finish();

  // Size of the partial file that an earlier attempt left for `file`; 0 if there is none.
  static std::uint64_t bytes_left_of(const std::string& file);

 private:
  bool is_standard_output() const { return file_ == "-"; }
  [[noreturn]] void fail(const std::string& why) const;

  std::string file_, partial_;
  std::unique_ptr<PartialFile> out_;  // null: standard output
  std::unique_ptr<EntityWriter> writer_;
  std::uint64_t added_ = 0, flushed_ = 0;
};

// Counts entities without writing them.
class NullSink : public EntitySink {
 public:
  void add(const Entity&) override { ++count_; }
  void flush() override {}
  std::uint64_t written() const override { return count_; }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace rocktable
