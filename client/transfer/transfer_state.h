// What a transfer has done, in a file, so that an aborted one goes on where it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "odata/entity.h"

namespace rocktable {

// What is done of one table.
struct TableProgress {
  bool done = false;
  std::uint64_t entities = 0;        // that are written for good
  std::string position;              // in the source, behind them
  std::string source;                // what identifies a file as it was: size and time; empty for a table
  std::uint64_t bytes = 0;           // of the file that is written
  std::vector<std::string> columns;  // of the CSV that is written
  std::optional<EntityKey> last;     // of the entities that are written: it is at both ends

  bool operator==(const TableProgress&) const = default;
};

class TransferState {
 public:
  // Whose state it is: without secrets, equal for the same command alone.
  using Identity = std::map<std::string, std::string>;

  // Takes up what `file` has of this transfer; no name: nothing is kept. Where it is of another one, or not a state at
  // all, it is as if it were not there, and is_foreign() tells. Throws std::runtime_error where it cannot be read.
  TransferState(std::filesystem::path file, Identity identity);

  bool is_resumed() const { return resumed_; }
  bool is_foreign() const { return foreign_; }
  bool is_kept() const { return !file_.empty(); }
  const std::filesystem::path& file() const { return file_; }

  TableProgress& table(const std::string& name) { return tables_[name]; }
  const std::map<std::string, TableProgress>& tables() const { return tables_; }

  // Which contents the ends had when the transfer began (client/transfer/contents_id.h), by `from` and `to`; none where an end cannot
  // tell.
  const Identity& contents() const { return contents_; }
  void set_contents(Identity contents) { contents_ = std::move(contents); }

  // Begins anew: nothing is done yet.
  void restart();

  // The file is there whole, or as it was. Throws std::runtime_error.
  void save() const;
  // There is no file any more: the transfer is complete, or begins anew.
  void remove() const;
  // From now on nothing is kept.
  void forget() { file_.clear(); }

 private:
  bool read(const std::string& text);

  std::filesystem::path file_;
  Identity identity_;
  Identity contents_;
  std::map<std::string, TableProgress> tables_;
  bool resumed_ = false, foreign_ = false;
};

}  // namespace rocktable
