#include "storage/rocksdb/repair/table_mender.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <map>

#include "storage/rocksdb/format/varint.h"

namespace rocktable {
namespace {

constexpr std::size_t kTrailer = 5;  // of a block
constexpr std::size_t kNumberAndKind = 8;
constexpr std::size_t kFooter = 53;
constexpr std::size_t kHandles = 40;             // of the footer, with zeros behind them
constexpr unsigned kCatalog = 1, kEntities = 2;  // column families of every store
constexpr unsigned char kRowValue = 1, kRowDeletion = 0, kRangeDeletion = 15;

std::uint32_t checksum_of(std::string_view contents, unsigned char compression) {
  constexpr std::uint32_t kPrime = 0x6b9083d9;
  return static_cast<std::uint32_t>(XXH3_64bits(contents.data(), contents.size())) ^ compression * kPrime;
}

// --- Reading -------------------------------------------------------------------------------------------------

// Takes an entry behind one with the key `last`. Returns false, and takes nothing, if there is none.
bool take_entry(std::string_view& bytes, std::string& last, std::string_view& value) {
  std::string_view rest = bytes;
  const auto shared = take_varint(rest), other = take_varint(rest), length = take_varint(rest);
  if (!shared || !other || !length || *shared > last.size() || *other == 0) return false;
  if (*other > rest.size() || *length > rest.size() - *other) return false;
  last.resize(*shared);
  last.append(rest.substr(0, *other));
  value = rest.substr(*other, *length);
  bytes = rest.substr(*other + *length);
  return true;
}

struct Block {
  std::size_t offset = 0, size = 0;  // of the contents
  std::uint64_t entries = 0, key_bytes = 0, value_bytes = 0;
  std::string first, last;  // keys
};

// Whether the restarts of a block follow, and its checksum fits. Sets the size of the block's contents.
bool ends_here(std::string_view bytes, std::size_t entries_end, std::uint64_t entries, std::size_t& size) {
  for (std::uint64_t count = 1; count <= entries; ++count) {
    const std::size_t end = entries_end + 4 * count + 4;
    if (end + kTrailer > bytes.size()) return false;
    if (little_endian(bytes.substr(end - 4, 4)) != count) continue;
    const auto compression = static_cast<unsigned char>(bytes[end]);
    if (little_endian(bytes.substr(end + 1, 4)) != checksum_of(bytes.substr(0, end), compression)) continue;
    size = end;
    return compression == 0;
  }
  return false;
}

// The block that begins with these bytes, if one does.
std::optional<Block> block_at(std::string_view bytes) {
  Block out;
  std::string_view rest = bytes, value;
  std::string key;
  while (take_entry(rest, key, value)) {
    if (out.entries++ == 0) out.first = key;
    out.last = key;
    out.key_bytes += key.size();
    out.value_bytes += value.size();
  }
  if (out.entries == 0 || !ends_here(bytes, bytes.size() - rest.size(), out.entries, out.size)) return std::nullopt;
  return out;
}

unsigned char kind_of(std::string_view key) { return static_cast<unsigned char>(key[key.size() - kNumberAndKind]); }
std::string_view row_of(std::string_view key) { return key.substr(0, key.size() - kNumberAndKind); }

// Whether a row may be in a file behind another one: newer versions come first.
bool is_behind(std::string_view key, std::string_view before) {
  if (row_of(key) != row_of(before)) return row_of(key) > row_of(before);
  return little_endian(key.substr(key.size() - kNumberAndKind)) <
         little_endian(before.substr(before.size() - kNumberAndKind));
}

bool is_of_kind(const Block& block, bool (*fits)(unsigned char)) {
  return block.first.size() > kNumberAndKind && block.last.size() > kNumberAndKind && fits(kind_of(block.first)) &&
         fits(kind_of(block.last));
}

bool has_rows(const Block& block) {
  return is_of_kind(block, [](unsigned char kind) { return kind == kRowValue || kind == kRowDeletion; });
}

bool has_ranges(const Block& block) {
  return is_of_kind(block, [](unsigned char kind) { return kind == kRangeDeletion; });
}

using Properties = std::map<std::string, std::string, std::less<>>;

bool has_properties(const Block& block) { return block.first.starts_with("rocksdb.") && block.entries > 5; }

// The meta index has the names of at most three blocks, the last ones of them "rocksdb.properties",
// "rocksdb.range_del".
bool is_meta_index(const Block& block) {
  return !has_properties(block) && (block.last == "rocksdb.properties" || block.last == "rocksdb.range_del");
}

struct Blocks {
  std::vector<Block> rows;
  std::optional<Block> ranges;
  Properties properties;       // empty: cannot be read
  Properties meta_index;       // likewise
  Properties torn_properties;  // the beginning of a block of properties that is cut off or damaged
};

void read_properties(std::string_view contents, Properties& out) {
  std::string key;
  std::string_view value;
  while (take_entry(contents, key, value)) out[key] = value;
}

bool begins_properties(std::string_view bytes) {
  std::string key;
  std::string_view value;
  return bytes.starts_with('\0') && take_entry(bytes, key, value) && key.starts_with("rocksdb.");
}

// Looks for a block at every byte that no block covers.
Blocks find_blocks(std::string_view bytes) {
  Blocks out;
  for (std::size_t at = 0; at < bytes.size();) {
    auto block = block_at(bytes.substr(at));
    if (!block) {
      if (begins_properties(bytes.substr(at))) read_properties(bytes.substr(at), out.torn_properties);
      ++at;
      continue;
    }
    block->offset = at;
    if (has_properties(*block)) {
      read_properties(bytes.substr(at, block->size), out.properties);
    } else if (is_meta_index(*block)) {
      read_properties(bytes.substr(at, block->size), out.meta_index);
    } else if (has_ranges(*block)) {
      out.ranges = *block;
    } else if (has_rows(*block) && (out.rows.empty() || is_behind(block->first, out.rows.back().last))) {
      out.rows.push_back(*block);
    }
    at += block->size + kTrailer;
  }
  return out;
}

std::optional<std::uint64_t> number_of(const Properties& properties, std::string_view name) {
  const auto found = properties.find(name);
  if (found == properties.end()) return std::nullopt;
  std::string_view bytes = found->second;
  return take_varint(bytes);
}

MendedTable::Ranges state_of_ranges(const Blocks& blocks) {
  using enum MendedTable::Ranges;
  if (blocks.ranges) return Kept;
  constexpr std::string_view kName = "rocksdb.num.range-deletions";
  // The torn ones are evidence enough, as the block of the deletions is before them: a lost end has neither.
  const auto count = number_of(blocks.properties.empty() ? blocks.torn_properties : blocks.properties, kName);
  if (count.value_or(0) > 0 || blocks.meta_index.contains("rocksdb.range_del")) return Lost;
  return blocks.properties.empty() && blocks.meta_index.empty() && !count ? MayBeLost : Kept;
}

std::vector<TableGap> gaps_of(const Blocks& blocks, const TableFacts& facts, std::size_t size) {
  std::vector<TableGap> out;
  std::size_t end = 0;
  std::string before;
  for (const Block& block : blocks.rows) {
    if (block.offset != end) out.push_back({before, std::string(row_of(block.first))});
    end = block.offset + block.size + kTrailer;
    before = row_of(block.last);
  }
  // Whether rows are lost behind the last block.
  const auto all = number_of(blocks.properties, "rocksdb.data.size");
  const bool is_whole = all ? end >= *all : !facts.largest.empty() ? before >= facts.largest : end + kFooter >= size;
  if (!is_whole) out.push_back({before, ""});
  return out;
}

// --- Writing -------------------------------------------------------------------------------------------------

struct Handle {
  std::size_t offset = 0, size = 0;
};

std::string text_of(const Handle& handle) {
  std::string out;
  append_varint(out, handle.offset);
  append_varint(out, handle.size);
  return out;
}

// Appends a block with its trailer.
Handle append_block(std::string& file, std::string_view contents) {
  const Handle out{file.size(), contents.size()};
  file.append(contents);
  file += '\0';
  append_little_endian(file, checksum_of(contents, 0), 4);
  return out;
}

// The contents of a block of entries in the order of their keys. `interval`: of restarts.
std::string contents_of(const std::vector<std::pair<std::string, std::string>>& entries, std::size_t interval) {
  std::string out, last;
  std::vector<std::size_t> restarts{0};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [key, value] = entries[i];
    std::size_t shared = 0;
    if (i % interval != 0) {
      while (shared < std::min(last.size(), key.size()) && last[shared] == key[shared]) ++shared;
    } else if (i > 0) {
      restarts.push_back(out.size());
    }
    append_varint(out, shared);
    append_varint(out, key.size() - shared);
    append_varint(out, value.size());
    out.append(key, shared).append(value);
    last = key;
  }
  for (const std::size_t restart : restarts) append_little_endian(out, restart, 4);
  append_little_endian(out, restarts.size(), 4);
  return out;
}

std::string number_text(std::uint64_t number) {
  std::string out;
  append_varint(out, number);
  return out;
}

// The first byte of the key of an entity is that of the number of its table.
std::uint64_t family_of(const Blocks& blocks, const TableFacts& facts) {
  if (facts.family != 0) return facts.family;
  if (const auto told = number_of(blocks.properties, "rocksdb.column.family.id")) return *told;
  return blocks.rows.empty() || blocks.rows.front().first.front() == '\0' ? kEntities : kCatalog;
}

// What RocksDB looks for: the column family when it makes a new manifest. The index is the plain kind, as without a
// property.
std::string properties_contents(const Blocks& blocks, std::uint64_t family, std::uint64_t data_size) {
  std::uint64_t rows = 0, key_bytes = 0, value_bytes = 0;
  for (const Block& block : blocks.rows) {
    rows += block.entries;
    key_bytes += block.key_bytes;
    value_bytes += block.value_bytes;
  }
  return contents_of({{"rocksdb.column.family.id", number_text(family)},
                      {"rocksdb.column.family.name", family == kCatalog ? "catalog" : "entities"},
                      {"rocksdb.comparator", "leveldb.BytewiseComparator"},
                      {"rocksdb.data.size", number_text(data_size)},
                      {"rocksdb.num.entries", number_text(rows)},
                      {"rocksdb.raw.key.size", number_text(key_bytes)},
                      {"rocksdb.raw.value.size", number_text(value_bytes)}},
                     1);
}

std::string footer_of(const Handle& meta_index, const Handle& index) {
  constexpr std::uint64_t kMagic = 0x88e241b785f4cff7;
  constexpr int kXxh3 = 4, kVersion = 5;
  std::string handles = text_of(meta_index) + text_of(index);
  handles.resize(kHandles, '\0');
  std::string out(1, static_cast<char>(kXxh3));
  out += handles;
  append_little_endian(out, kVersion, 4);
  append_little_endian(out, kMagic, 8);
  return out;
}

// Appends what RocksDB needs to read the blocks of rows.
void append_end(std::string& file, const Blocks& blocks, std::string_view original, const TableFacts& facts) {
  std::vector<std::pair<std::string, std::string>> index, meta;
  for (const Block& block : blocks.rows) index.emplace_back(block.last, text_of({block.offset, block.size}));
  const std::uint64_t data_size = file.size();
  meta.emplace_back("rocksdb.properties",
                    text_of(append_block(file, properties_contents(blocks, family_of(blocks, facts), data_size))));
  if (blocks.ranges)
    meta.emplace_back("rocksdb.range_del",
                      text_of(append_block(file, original.substr(blocks.ranges->offset, blocks.ranges->size))));
  const Handle index_handle = append_block(file, contents_of(index, 16));
  const Handle meta_handle = append_block(file, contents_of(meta, 1));
  if (facts.size) file.resize(std::max<std::size_t>(file.size() + kFooter, *facts.size) - kFooter, '\0');
  file += footer_of(meta_handle, index_handle);
}

}  // namespace

MendedTable mend_table(std::string_view bytes, const TableFacts& facts) {
  const std::string_view original = facts.size ? bytes.substr(0, *facts.size) : bytes;
  Blocks blocks = find_blocks(original);
  MendedTable out;
  out.family = static_cast<unsigned>(family_of(blocks, facts));
  out.gaps = gaps_of(blocks, facts, original.size());
  out.ranges = state_of_ranges(blocks);
  // The new end is nearly always shorter than the old one, which has a filter. If not, the last rows make room.
  for (;;) {
    const std::size_t end = blocks.rows.empty() ? 0 : blocks.rows.back().offset + blocks.rows.back().size + kTrailer;
    out.bytes = original.substr(0, end);
    append_end(out.bytes, blocks, original, facts);
    if (!facts.size || out.bytes.size() == *facts.size || blocks.rows.empty()) break;
    blocks.rows.pop_back();
    const std::string before = blocks.rows.empty() ? "" : std::string(row_of(blocks.rows.back().last));
    std::erase_if(out.gaps, [&](const TableGap& gap) { return gap.before >= before; });
    out.gaps.push_back({before, ""});
  }
  for (const Block& block : blocks.rows) out.rows += block.entries;
  return out;
}

}  // namespace rocktable
