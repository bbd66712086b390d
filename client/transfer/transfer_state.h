// State file of a transfer: what is done, so that an interrupted transfer can resume.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "odata/entity.h"

namespace rocktable {

// Progress of one table.
struct TableProgress {
  bool done = false;
  std::uint64_t entities = 0;        // durably written
  std::string position;              // in the source, after these entities
  std::string source;                // size and time of the source file, to detect changes; empty for a table
  std::uint64_t bytes = 0;           // of the target file
  std::vector<std::string> columns;  // of the target CSV
  std::optional<EntityKey> last;     // last entity written; it exists in source and target

  bool operator==(const TableProgress&) const = default;
};

class TransferState {
 public:
  // The parameters of a transfer without secrets, by name. Only the same command has the same ones.
  using Parameters = std::map<std::string, std::string>;
  // The id of the contents of each account (client/transfer/contents_id.h), under `from` and `to`. Absent if
  // the endpoint reports none.
  using ContentsIds = std::map<std::string, std::string>;

  // Loads `file` if it is the state of this transfer. An empty name disables the state. If the file belongs
  // to another transfer or is malformed, it is ignored, and is_foreign() is true. Throws std::runtime_error
  // if it cannot be read.
  TransferState(std::filesystem::path file, Parameters parameters);

  bool is_resumed() const { return resumed_; }
  bool is_foreign() const { return foreign_; }
  bool is_enabled() const { return !file_.empty(); }
  const std::filesystem::path& file() const { return file_; }

  TableProgress& table(const std::string& name) { return tables_[name]; }
  const std::map<std::string, TableProgress>& tables() const { return tables_; }

  // The contents when the transfer started.
  const ContentsIds& contents() const { return contents_; }
  void set_contents(ContentsIds contents) { contents_ = std::move(contents); }

  // Discards all progress.
  void restart();

  // Writes the file atomically. Throws std::runtime_error.
  void save() const;
  // Removes the file: the transfer is complete, or starts from scratch.
  void remove() const;
  // Disables the state: nothing is saved from now on.
  void disable() { file_.clear(); }

 private:
  bool read(const std::string& text);

  std::filesystem::path file_;
  Parameters parameters_;
  ContentsIds contents_;
  std::map<std::string, TableProgress> tables_;
  bool resumed_ = false, foreign_ = false;
};

}  // namespace rocktable
