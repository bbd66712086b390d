#include "storage/rocksdb/repair/table_files.h"

#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <utility>

#include "storage/rocksdb/format/log_check.h"
#include "storage/rocksdb/format/manifest.h"
#include "storage/rocksdb/repair/table_mender.h"
#include "storage/store_error.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

std::string name_of(std::uint64_t number) {
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 6 ? 6 - digits.size() : 0, '0');
  return digits + ".sst";
}

bool is_whole(const fs::path& file, const TableFacts& facts) {
  std::error_code absent;
  const auto size = fs::file_size(file, absent);
  if (absent || (facts.size && size != *facts.size)) return false;
  rocksdb::SstFileReader reader{rocksdb::Options()};
  return reader.Open(file.string()).ok() && reader.VerifyChecksum().ok();
}

// The file may be a hard link to that of the damaged store.
void replace(const fs::path& file, const std::string& bytes) {
  fs::remove(file);
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw StoreError("cannot write " + file.string());
}

using Listed = std::map<std::string, std::pair<TableFacts, LostRange>>;  // by the name of the file

Listed listed_by_manifest(const fs::path& store) {
  Listed out;
  const auto tables = tables_of_manifest(read_store_file(store / current_manifest(store)));
  if (!tables) return out;
  for (const auto& [number, table] : *tables) {
    LostRange range{.family = table.family,
                    .file = name_of(number),
                    .before = {},
                    .after = {},
                    .smallest = table.smallest,
                    .largest = table.largest,
                    .last_sequence = table.last_sequence};
    out[range.file] = {TableFacts{table.family, table.size, table.largest}, range};
  }
  return out;
}

Listed all_files(const fs::path& store) {
  Listed out;
  for (const auto& entry : fs::directory_iterator(store)) {
    if (entry.path().extension() != ".sst") continue;
    LostRange range;
    range.file = entry.path().filename().string();
    range.last_sequence = std::numeric_limits<std::uint64_t>::max();
    out[range.file] = {TableFacts(), range};
  }
  return out;
}

}  // namespace

bool manifest_is_complete(const fs::path& store) {
  const std::string manifest = current_manifest(store);
  if (manifest.empty() || !tables_of_manifest(read_store_file(store / manifest))) return false;
  const Listed named = listed_by_manifest(store), there = all_files(store);
  return std::all_of(there.begin(), there.end(), [&](const auto& file) { return named.contains(file.first); });
}

MendedFiles mend_files(const fs::path& store, bool by_manifest) {
  MendedFiles out;
  Listed files = by_manifest ? listed_by_manifest(store) : Listed();
  if (files.empty()) files = all_files(store);
  for (const auto& [name, known] : files) {
    const auto& [facts, whole_range] = known;
    if (is_whole(store / name, facts)) continue;
    const MendedTable mended = mend_table(read_store_file(store / name), facts);
    replace(store / name, mended.bytes);
    for (const TableGap& gap : mended.gaps) {
      LostRange& range = out.lost.emplace_back(whole_range);
      range.family = mended.family;
      range.before = gap.before;
      range.after = gap.after;
    }
    if (mended.ranges != MendedTable::Ranges::Kept)
      out.lost_deletions.push_back(
          {mended.family, name, whole_range.last_sequence, mended.ranges == MendedTable::Ranges::Lost});
  }
  return out;
}

}  // namespace rocktable
