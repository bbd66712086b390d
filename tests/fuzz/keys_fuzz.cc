// Any bytes as keys and records of the store: CorruptRecord, or unchanged after writing. Also the keys of any
// two entities (lines PartitionKey, RowKey, PartitionKey, RowKey): encoded keys and bounds have the order of
// the keys.
#include "storage/format/entity_codec.h"
#include "storage/rocksdb/format/catalog_codec.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"
#include "tests/unit/storage/samples.h"

namespace rocktable {
namespace {

constexpr TableId kTable{0x0102030405060708};

template <class Decode>
void read(Decode decode) {
  try {
    decode();
  } catch (const CorruptRecord& damage) {
    require(*damage.what() != '\0', "a complaint without words");
  }
}

bool holds_four_byte_sequence(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xF0; });
}

void check_stored_bytes(std::string_view input) {
  read([&] { require(encode_table_row(decode_table_row(input)) == input, "a table's row changes"); });
  read([&] { require(encode_number(decode_number(input)) == input, "a number changes"); });
  const std::string stored = encode_table_prefix(kTable) + std::string(input);
  read([&] {
    std::string scratch;
    const auto [partition_key, row_key] = decode_entity_key(stored, scratch);
    require(partition_key.size() + row_key.size() < stored.size(), "a key grows when it is read");
    const bool written_by_us = is_utf8(partition_key) && is_utf8(row_key) && !holds_four_byte_sequence(input);
    require(!written_by_us || encode_entity_key(kTable, partition_key, row_key) == stored, "a key changes");
  });
}

bool is_legal(const EntityKey& key) {
  return is_utf8(key.partition_key) && is_utf8(key.row_key) && check_key_characters(key.partition_key) &&
         check_key_characters(key.row_key);
}

std::string encoded(const EntityKey& key) { return encode_entity_key(kTable, key.partition_key, key.row_key); }

void check_key(const EntityKey& key) {
  const std::string bytes = encoded(key);
  std::string scratch;
  const auto [partition_key, row_key] = decode_entity_key(bytes, scratch);
  require(partition_key == key.partition_key && row_key == key.row_key, "a key is another one when read");
  require(encode_table_prefix(kTable) <= bytes && bytes < encode_table_end(kTable), "a key leaves its table");
  require(encode_bound(kTable, key) == bytes, "a key is no bound of its own");
}

void check_order(const EntityKey& a, const EntityKey& b) {
  const bool before = place_of(a) < place_of(b);
  require(before == (encoded(a) < encoded(b)), "keys have another order than their bytes");
  if (a == b) return;
  const auto& [first, second] = before ? std::pair(a, b) : std::pair(b, a);
  const std::string behind_key = encode_bound(kTable, {first.partition_key, first.row_key + '\0'});
  require(encoded(first) < behind_key && behind_key <= encoded(second), "behind a key comes another one");
  const std::string behind_partition = encode_bound(kTable, {first.partition_key + '\0', ""});
  require(behind_key < behind_partition && behind_partition < encode_table_end(kTable),
          "a partition ends too early or too late");
  require((first.partition_key != second.partition_key) == (behind_partition <= encoded(second)),
          "a partition's end does not part it from the next");
}

}  // namespace

void fuzz_keys(std::string_view input) {
  check_stored_bytes(input);
  std::vector<std::string> lines = lines_of(input);
  lines.resize(4);
  const EntityKey a{lines[0], lines[1]}, b{lines[2], lines[3]};
  if (is_legal(a)) check_key(a);
  if (is_legal(a) && is_legal(b)) check_order(a, b);
}

}  // namespace rocktable
