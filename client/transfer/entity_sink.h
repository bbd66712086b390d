// Where entities go: a file (here), or a table (client/transfer/table_writer.h).
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

  // Throws std::runtime_error with a sentence, also for what was added before.
  virtual void add(const Entity& entity) = 0;
  // All that was added is there for good afterwards.
  virtual void flush() = 0;
  // What is known to be there.
  virtual std::uint64_t written() const = 0;
};

struct FileSinkOptions {
  EntityFormat format = EntityFormat::Ndjson;
  std::vector<std::string> columns;  // of a CSV
  bool escape_formulas = false;      // in a CSV
  std::uint64_t keep_bytes = 0;      // of an earlier attempt: goes on behind them; 0: starts anew
};

// A file that gets its name when it is whole; until then it is `FILE.partial`. Or standard output (`-`).
class FileSink : public EntitySink {
 public:
  // Throws std::runtime_error.
  FileSink(std::string file, FileSinkOptions options);

  void add(const Entity& entity) override;
  void flush() override;
  std::uint64_t written() const override { return flushed_; }

  // Of the file, after flush().
  std::uint64_t bytes() const;
  // The file is whole. Throws std::runtime_error.
  void finish();

  // What an earlier attempt left of `file`, bytes.
  static std::uint64_t bytes_left_of(const std::string& file);

 private:
  bool is_standard_output() const { return file_ == "-"; }
  [[noreturn]] void fail(const std::string& why) const;

  std::string file_, partial_;
  std::unique_ptr<PartialFile> out_;  // none: standard output
  std::unique_ptr<EntityWriter> writer_;
  std::uint64_t added_ = 0, flushed_ = 0;
};

// Counts, and writes nothing.
class NullSink : public EntitySink {
 public:
  void add(const Entity&) override { ++count_; }
  void flush() override {}
  std::uint64_t written() const override { return count_; }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace rocktable
