// Checks the logs of a store before RocksDB opens it: whether their operations continue those of the files
// without a gap. RocksDB replays a log up to the first incomplete record and ignores the rest, as it must
// after a power loss. It does not report a missing file, or damage in the middle of one.
// RocksDB's option track_and_verify_wals_in_manifest does not replace this check: with RocksDB 7.8 it reports
// earlier logs that are missing or too short, but a store whose last log is missing, cut or damaged in the
// middle opens without the rows that follow.
//
//   log      := blocks of 32 KiB; each block has records, and less than 7 bytes of zeros at its end
//   record   := CRC32C of type and payload, masked (4 bytes)  length of payload (2)  type (1)  payload
//   type     := 1 whole | 2 first, 3 middle, 4 last piece of a record
//
// The payloads of NNNNNN.log are write batches: the number of the first operation (8 bytes), the count of
// operations (4), the operations. The numbers continue from batch to batch, also from file to file.
//
// The payloads of MANIFEST-NNNNNN are version edits: fields, each a varint tag and a value. Among the first
// are the number of the last operation in files and the first log that is still needed.
//
// Numbers are little-endian. Source: github.com/facebook/rocksdb/wiki/Write-Ahead-Log-File-Format,
// .../MANIFEST
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

// Numbers of operations that no log has, from `first` to before `end`.
struct MissingOperations {
  std::uint64_t first = 0, end = 0;
  bool behind_damage = false;  // a log has damaged bytes in their place; otherwise table files may have them
};

struct LogCheck {
  // A sentence that states what is lost and names the file; empty if nothing is lost.
  std::string damage;
  // A sentence that states what may be lost at the end of the last log; empty if the log is complete. An
  // incomplete last record is normal after a power loss, or if the process died while writing.
  std::string torn;
  // Whether all logs are whole. If so, damage is in the manifest, or a file is missing.
  bool logs_are_whole = true;
  std::vector<MissingOperations> missing;
  bool misses_more = false;        // operations are missing that cannot be counted
  bool may_miss_last_log = false;  // `torn` says so
  // By column family: the operations of logs before this one are in table files. What a torn manifest has lost is not
  // here.
  std::map<unsigned, std::uint64_t> first_logs;
};

// A write batch in a log.
struct LoggedBatch {
  std::uint64_t log = 0;               // the number in the file's name
  std::uint64_t first = 0, count = 0;  // numbers of its operations
  std::string bytes;
};

// Changes nothing. A folder that is not a store, or is an empty one, is not damaged.
LogCheck check_logs(const std::filesystem::path& store);

// Returns the bytes of a file; as many as can be read.
std::string read_store_file(const std::filesystem::path& path);

// Returns the name of the manifest that CURRENT names. If it names none that is there: of the newest one; empty if
// there is none.
std::string current_manifest(const std::filesystem::path& store);

// Returns the whole write batches in all logs of a store, in order.
std::vector<LoggedBatch> batches_in_logs(const std::filesystem::path& store);

// Calls `visit` with the offset and the payload of each whole record, also after damage. Returns the offset
// of the first bytes that belong to no record, or nullopt.
std::optional<std::uint64_t> read_log(std::string_view log,
                                      const std::function<void(std::uint64_t, std::string_view)>& visit);

}  // namespace rocktable
