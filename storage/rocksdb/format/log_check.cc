#include "storage/rocksdb/format/log_check.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "storage/rocksdb/format/crc32c.h"
#include "storage/rocksdb/format/varint.h"

namespace rocktable {
namespace {

constexpr std::size_t kBlock = 32 << 10;
constexpr std::size_t kHeader = 7;
constexpr std::size_t kBatchHeader = 12;
constexpr std::string_view kManifestPrefix = "MANIFEST-";

bool has_checksum(std::uint32_t masked, std::string_view bytes) {
  const std::uint32_t plain = crc32c(bytes);
  return masked == (plain >> 15 | plain << 17) + 0xa282ead8u;
}

// A record or a piece of one. The type is None if the bytes are not a valid piece.
struct Piece {
  enum class Type { None, Whole, First, Middle, Last } type = Type::None;
  std::string_view payload;
  std::size_t size = 0;  // including the header, as stated in the header
};

Piece piece_at(std::string_view block) {
  Piece out;
  const std::size_t length = little_endian(block.substr(4, 2));
  out.size = kHeader + length;
  const auto type = static_cast<unsigned char>(block[6]);
  if (type < 1 || type > 4 || out.size > block.size()) return out;
  out.payload = block.substr(kHeader, length);
  if (has_checksum(static_cast<std::uint32_t>(little_endian(block.substr(0, 4))), block.substr(6, 1 + length)))
    out.type = static_cast<Piece::Type>(type);
  return out;
}

}  // namespace

std::string read_store_file(const std::filesystem::path& path) {
  std::error_code absent;
  const auto size = std::filesystem::file_size(path, absent);
  std::string out(absent ? 0 : size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(file.gcount()));
  return out;
}

namespace {

// After damage a length may be wrong, so the next piece may begin at any byte of the block, or in the next block.
std::size_t bytes_to_next_piece(std::string_view block) {
  std::size_t out = 1;
  while (out + kHeader <= block.size() && piece_at(block.substr(out)).type == Piece::Type::None) ++out;
  return out + kHeader <= block.size() ? out : block.size();
}

// Returns the number in a file name such as MANIFEST-000005 or 000004.log.
std::optional<std::uint64_t> number_in(std::string_view name, std::string_view prefix, std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  name = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  const bool digits = std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
  if (name.empty() || name.size() > 18 || !digits) return std::nullopt;
  return std::stoull(std::string(name));
}

std::map<std::uint64_t, std::string> files_of(const std::filesystem::path& store, std::string_view prefix,
                                              std::string_view suffix) {
  std::map<std::uint64_t, std::string> out;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(store, ignored)) {
    const std::string name = entry.path().filename().string();
    if (const auto found = number_in(name, prefix, suffix)) out[*found] = name;
  }
  return out;
}

// The state of the logs according to a manifest.
struct LogState {
  // One column family: its rows in logs before `log` are in table files, up to the operation `sequence`.
  struct Flushed {
    std::uint64_t log = 0, sequence = 0;
  };

  std::map<unsigned, Flushed> families;
  std::uint64_t last_sequence = 0;
  std::uint64_t first_log = 0;  // 0 if no log was deleted yet
  bool has_logs = false;
  bool torn = false;  // the manifest does not end with a whole edit
};

// Returns the column family of an edit: its last field. RocksDB omits it for the default family, 0, and an
// edit that adds a family has another field last. Such edits count as edits of family 0.
unsigned family_of(std::string_view edit) {
  const std::size_t size = edit.size();
  return size >= 3 && edit.substr(size - 3, 2) == "\xc8\x01" ? static_cast<unsigned char>(edit.back()) : 0;
}

struct Edit {
  std::uint64_t log = 0, first_log = 0, last_sequence = 0;
};

// Parses an edit up to the first unknown field. These three fields come earlier.
Edit parse_edit(std::string_view bytes) {
  constexpr std::uint64_t kComparator = 1, kLogNumber = 2, kNextFile = 3, kLastSequence = 4, kPreviousLog = 9,
                          kFirstLog = 10, kMaxColumnFamily = 203, kDatabaseId = 8193;
  Edit out;
  while (const auto tag = take_varint(bytes)) {
    const auto value = take_varint(bytes);
    if (!value) return out;
    switch (*tag) {
      case kComparator:
      case kDatabaseId:
        if (*value > bytes.size()) return out;
        bytes.remove_prefix(*value);
        break;
      case kLogNumber:
        out.log = *value;
        break;
      case kFirstLog:
        out.first_log = *value;
        break;
      case kLastSequence:
        out.last_sequence = *value;
        break;
      case kNextFile:
      case kPreviousLog:
      case kMaxColumnFamily:
        break;
      default:
        return out;
    }
  }
  return out;
}

void apply_edit(std::string_view bytes, LogState& state) {
  constexpr unsigned kFamilies = 3;
  const Edit edit = parse_edit(bytes);
  const unsigned family = family_of(bytes);
  state.last_sequence = std::max(state.last_sequence, edit.last_sequence);
  state.first_log = std::max(state.first_log, edit.first_log);
  state.has_logs = state.has_logs || edit.log > 0;
  for (unsigned i = 0; i < kFamilies; ++i) {
    LogState::Flushed& flushed = state.families[i];
    const std::uint64_t log = std::max(i == family ? edit.log : 0, state.first_log);
    if (log > flushed.log) flushed = {log, state.last_sequence};
    // A start of RocksDB writes several edits at once, and only the last has the right sequence.
    if (edit.log != 0 && flushed.log == edit.log) flushed.sequence = state.last_sequence;
  }
}

LogState log_state(const std::string& manifest) {
  LogState out;
  const auto bad = read_log(manifest, [&](std::uint64_t, std::string_view edit) { apply_edit(edit, out); });
  out.torn = bad.has_value();
  return out;
}

std::string log_name(std::uint64_t log) {
  std::string digits = std::to_string(log);
  digits.insert(0, digits.size() < 6 ? 6 - digits.size() : 0, '0');
  return digits + ".log";
}

// Checks the logs in order. The operations must continue those of the files without a gap. Behind damaged bytes in the
// same log, they must also continue those before them, because the manifest may count operations that only the log has.
class Chain {
 public:
  // If the manifest is torn, the edits of some column families may be lost. Then only operations that are in
  // the files of all families may be missing before the first log. This does not hold for a whole manifest,
  // because a start of RocksDB does not write all sequences.
  Chain(const LogState& state, std::uint64_t first_log) : next_(state.last_sequence + 1) {
    if (!state.torn) return;
    for (const auto& [family, flushed] : state.families)
      if (flushed.log < first_log) next_ = std::min(next_, flushed.sequence + 1);
  }

  void add(const std::string& name, const std::string& log) {
    std::vector<Gap> gaps;
    const auto bad = read_log(log, [&](std::uint64_t offset, std::string_view batch) {
      if (batch.size() < kBatchHeader) return;
      const std::uint64_t first = little_endian(batch.substr(0, 8)), end = first + little_endian(batch.substr(8, 4));
      if (first > next_) {
        gaps.push_back({offset, next_, first, false});
      } else if (first > end_) {
        gaps.push_back({offset, end_, first, true});
      }
      next_ = std::max(next_, end);
      end_ = std::max(end_, end);
    });
    const bool was_bad = !bad_.empty();
    if (bad && !was_bad)
      bad_ = name + " is damaged at byte " + std::to_string(*bad) + " of " + std::to_string(log.size());
    for (const Gap& gap : gaps) {
      const bool is_behind_damage = bad && *bad < gap.offset;
      if (is_behind_damage || !gap.is_in_manifest) add_gap(name, gap, is_behind_damage || was_bad);
    }
  }

  LogCheck finish() && {
    check_.logs_are_whole = bad_.empty();
    if (check_.damage.empty() && !bad_.empty())
      check_.torn = "the last write is incomplete: " + bad_ + "; all earlier writes are whole";
    return std::move(check_);
  }

 private:
  struct Gap {
    std::uint64_t offset = 0;  // of the record behind it
    std::uint64_t first = 0;   // number of an operation; 0: not known
    std::uint64_t end = 0;
    bool is_in_manifest = false;  // the manifest counts these operations
  };

  void add_gap(const std::string& name, const Gap& gap, bool behind_damage) {
    if (gap.first == 0) {
      check_.misses_more = true;
    } else {
      check_.missing.push_back({gap.first, gap.end, behind_damage});
    }
    if (!check_.damage.empty()) return;
    check_.damage = bad_.empty() ? "" : bad_ + ", ";
    check_.damage += (gap.first == 0 ? "operations are missing" : operations(gap.end - gap.first)) + " before byte " +
                     std::to_string(gap.offset) + " of " + name;
  }

  static std::string operations(std::uint64_t count) {
    return count == 1 ? "1 operation is missing" : std::to_string(count) + " operations are missing";
  }

  std::uint64_t next_;
  std::uint64_t end_ = 0;  // behind the last operation of the logs; 0: none yet
  std::string bad_;
  LogCheck check_;
};

}  // namespace

std::optional<std::uint64_t> read_log(std::string_view log,
                                      const std::function<void(std::uint64_t, std::string_view)>& visit) {
  std::optional<std::uint64_t> bad;
  constexpr std::size_t kNone = std::string_view::npos;
  std::string joined;         // the pieces of the current record
  std::size_t start = kNone;  // offset of the current record
  const auto damaged = [&](std::size_t offset) {
    if (!bad) bad = start == kNone ? offset : start;
    start = kNone;
  };
  for (std::size_t at = 0; at < log.size();) {
    const std::string_view block = log.substr(at, kBlock - at % kBlock);
    if (block.size() < kHeader) {
      if (at + block.size() == log.size() && (at + block.size()) % kBlock != 0) damaged(at);
      at += block.size();
      continue;
    }
    const Piece piece = piece_at(block);
    const bool begins = piece.type == Piece::Type::Whole || piece.type == Piece::Type::First;
    if (piece.type == Piece::Type::None || begins == (start != kNone)) damaged(at);
    switch (piece.type) {
      case Piece::Type::None:
        break;
      case Piece::Type::Whole:
        visit(at, piece.payload);
        break;
      case Piece::Type::First:
        start = at;
        joined = piece.payload;
        break;
      case Piece::Type::Middle:
        if (start != kNone) joined += piece.payload;
        break;
      case Piece::Type::Last:
        if (start != kNone) visit(start, joined += piece.payload);
        start = kNone;
        break;
    }
    at += piece.type == Piece::Type::None ? bytes_to_next_piece(block) : piece.size;
  }
  if (start != kNone) damaged(start);
  return bad;
}

std::string current_manifest(const std::filesystem::path& store) {
  const std::string current = read_store_file(store / "CURRENT");
  std::string named = current.substr(0, current.find('\n'));
  if (number_in(named, kManifestPrefix, "") && std::filesystem::exists(store / named)) return named;
  const auto manifests = files_of(store, kManifestPrefix, "");
  return manifests.empty() ? std::string() : manifests.rbegin()->second;
}

std::vector<LoggedBatch> batches_in_logs(const std::filesystem::path& store) {
  std::vector<LoggedBatch> out;
  for (const auto& [number, name] : files_of(store, "", ".log")) {
    const std::uint64_t log = number;
    read_log(read_store_file(store / name), [&](std::uint64_t, std::string_view batch) {
      if (batch.size() < kBatchHeader) return;
      out.push_back({log, little_endian(batch.substr(0, 8)), little_endian(batch.substr(8, 4)), std::string(batch)});
    });
  }
  return out;
}

LogCheck check_logs(const std::filesystem::path& store) {
  LogCheck out;
  const auto logs = files_of(store, "", ".log");
  const std::string current = read_store_file(store / "CURRENT");
  if (current.empty()) {
    // RocksDB would create a new store and delete the files of this one.
    const bool has_data = !files_of(store, "", ".sst").empty() ||
                          std::any_of(logs.begin(), logs.end(),
                                      [&](const auto& log) { return !read_store_file(store / log.second).empty(); });
    if (has_data) out.damage = "CURRENT is missing or empty";
    return out;
  }
  const std::string manifest = current.substr(0, current.find('\n'));
  if (!number_in(manifest, kManifestPrefix, "")) {
    out.damage = "CURRENT is damaged: it names no manifest";
    return out;
  }
  if (!std::filesystem::exists(store / manifest)) {
    out.damage = manifest + ", which CURRENT names, is missing";
    return out;
  }
  const LogState state = log_state(read_store_file(store / manifest));
  // RocksDB always has a log, even if it is empty. The first log need not be the one in the manifest: after a
  // replay, a start of RocksDB records a number that no log has.
  const auto first = logs.lower_bound(state.first_log);
  if (state.has_logs && first == logs.end()) {
    out.damage = "its log " + log_name(state.first_log) + " (or one of a later number) is missing";
    out.misses_more = true;
    return out;
  }
  Chain chain(state, first == logs.end() ? 0 : first->first);
  for (auto log = first; log != logs.end(); ++log) chain.add(log->second, read_store_file(store / log->second));
  out = std::move(chain).finish();
  for (const auto& [family, flushed] : state.families) out.first_logs[family] = flushed.log;
  // A start creates a log and, with the next number, a manifest. This is only a warning, because RocksDB does
  // the same after a failed write.
  const auto start = number_in(manifest, kManifestPrefix, "");
  out.may_miss_last_log = out.damage.empty() && start && !logs.empty() && logs.rbegin()->first + 1 < *start;
  if (out.may_miss_last_log) out.torn = log_name(*start - 1) + " seems to be missing; the last writes may be lost";
  return out;
}

}  // namespace rocktable
