#include "storage/rocksdb/format/manifest.h"

#include <utility>
#include <vector>

#include "storage/rocksdb/format/log_check.h"
#include "storage/rocksdb/format/varint.h"

namespace rocktable {
namespace {

constexpr std::size_t kKeyTrailer = 8;  // behind each key: the number of its operation, and its kind

struct TableEdit {
  unsigned family = 0;
  std::vector<std::uint64_t> deleted;
  std::vector<std::pair<std::uint64_t, ListedTable>> added;
};

std::optional<std::string> take_key(std::string_view& bytes) {
  const auto key = take_text(bytes);
  if (!key || key->size() < kKeyTrailer) return std::nullopt;
  return std::string(key->substr(0, key->size() - kKeyTrailer));
}

// A new file: level, number, size, smallest key, largest key, lowest and highest number of an operation; then further
// fields up to the tag 1.
bool take_table(std::string_view& bytes, TableEdit& out) {
  const auto level = take_varint(bytes), number = take_varint(bytes), size = take_varint(bytes);
  auto smallest = take_key(bytes), largest = take_key(bytes);
  const auto first = take_varint(bytes), last = take_varint(bytes);
  if (!level || !number || !size || !smallest || !largest || !first || !last) return false;
  for (;;) {
    const auto tag = take_varint(bytes);
    if (!tag) return false;
    if (*tag == 1) break;
    if (!take_text(bytes)) return false;
  }
  out.added.emplace_back(*number, ListedTable{0, *size, *std::move(smallest), *std::move(largest), *last});
  return true;
}

bool take_field(std::string_view& bytes, TableEdit& out) {
  constexpr std::uint64_t kMayBeIgnored = 1 << 13;
  const auto tag = take_varint(bytes);
  if (!tag) return false;
  switch (*tag) {
    case 1:    // comparator
    case 201:  // added column family
      return take_text(bytes).has_value();
    case 2:    // log
    case 3:    // next file
    case 4:    // last operation
    case 9:    // previous log
    case 10:   // first log
    case 203:  // highest column family
    case 300:  // remaining edits of a group
      return take_varint(bytes).has_value();
    case 5:  // where compaction goes on
      return take_varint(bytes) && take_text(bytes);
    case 6: {  // deleted file
      const auto level = take_varint(bytes), number = take_varint(bytes);
      if (number) out.deleted.push_back(*number);
      return level && number;
    }
    case 103:
      return take_table(bytes, out);
    case 200: {
      const auto family = take_varint(bytes);
      if (family) out.family = static_cast<unsigned>(*family);
      return family.has_value();
    }
    case 202:  // dropped column family
      return true;
    default:
      return (*tag & kMayBeIgnored) != 0 && take_text(bytes);
  }
}

}  // namespace

std::optional<ListedTables> tables_of_manifest(std::string_view manifest) {
  ListedTables out;
  bool is_known = true;
  const auto bad = read_log(manifest, [&](std::uint64_t, std::string_view bytes) {
    TableEdit edit;
    while (is_known && !bytes.empty()) is_known = take_field(bytes, edit);
    for (const auto number : edit.deleted) out.erase(number);
    for (auto& [number, table] : edit.added) {
      table.family = edit.family;
      out[number] = std::move(table);
    }
  });
  if (bad || !is_known) return std::nullopt;
  return out;
}

}  // namespace rocktable
