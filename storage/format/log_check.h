// Looks at the logs of a store before RocksDB opens it: does what they hold go on where its files end, without a gap?
// RocksDB replays a log up to the first record that is not whole and starts without what follows, as it must after a
// loss of power; that a file is missing or damaged in the middle it would not tell.
//
//   log      := blocks of 32 KiB; in a block records, and less than 7 bytes of zeros at its end
//   record   := CRC32C of type and payload, masked (4 bytes)  length of payload (2)  type (1)  payload
//   type     := 1 whole | 2 first, 3 middle, 4 last piece of one
//
// Payloads of NNNNNN.log are write batches: number of their first operation (8 bytes), how many there are (4), and
// them. The first operation of a batch has the number behind the last one of the batch before, in the next file, too.
// Payloads of MANIFEST-NNNNNN are version edits: fields, each a varint tag and its value. The number of the last
// operation that is in files and the first log that is still needed are among the first of them.
//
// Numbers are little-endian. Source: github.com/facebook/rocksdb/wiki/Write-Ahead-Log-File-Format, .../MANIFEST
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

struct LogCheck {
  // What is lost, in a sentence that names the file; empty where nothing is.
  std::string damage;
  // What may be lost at the end of the last log: a record that was not written to its end is normal after a loss of
  // power, or where the process died while it wrote. A sentence; empty where all is there.
  std::string torn;
  // Whether all logs are whole, and it is the manifest or a missing file that is to blame.
  bool logs_are_whole = true;
};

// Reads, and changes nothing. What is no store, or an empty one, is not damaged.
LogCheck check_logs(const std::filesystem::path& store);

// The write batches in all logs of a store, in order, that are whole.
std::vector<std::string> batches_in_logs(const std::filesystem::path& store);

// Calls `visit` with the payload of each record that is whole, and where it begins, also behind damage. Returns where
// the first bytes are that belong to none, if there are such.
std::optional<std::uint64_t> read_log(std::string_view log,
                                      const std::function<void(std::uint64_t, std::string_view)>& visit);

}  // namespace rocktable
