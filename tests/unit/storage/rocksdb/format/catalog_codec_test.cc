// The bytes of the catalog.
#include "storage/rocksdb/format/catalog_codec.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "storage/format/entity_codec.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::string_literals;

// Byte for byte: the catalog is persisted.
TEST_CASE("the keys of the catalog") {
  CHECK(encode_table_key("acct", "MyTable9") == "aacct\0mytable9"s);
  CHECK(account_of_table_key("aacct\0mytable9"s) == "acct");
  CHECK(encode_account_prefix("acct") == "aacct\0"s);
  CHECK(encode_account_end("acct") == "aacct\1"s);
  CHECK(encode_identifiers_key(TableId{0x0102030405060708}) == "i\1\2\3\4\5\6\7\x08"s);
  CHECK(encode_properties_key("acct") == "pacct");
  CHECK(kClockKey == "mclock");
  CHECK(kFormatKey == "mformat");
  CHECK(kNextTableIdKey == "mtable id");
}

TEST_CASE("the row of a table") {
  const TableRow row{TableId{0x0102030405060708}, DateTime{0x1112131415161718}, "MyTable"};
  const std::string bytes = "\1\1\2\3\4\5\6\7\x08\x11\x12\x13\x14\x15\x16\x17\x18MyTable"s;
  CHECK(encode_table_row(row) == bytes);
  const TableRow read = decode_table_row(bytes);
  CHECK(read.id == row.id);
  CHECK(read.created == row.created);
  CHECK(read.name == row.name);
}

TEST_CASE("the tables of an account are between its prefix and its end, those of other accounts are not") {
  const std::string_view accounts[] = {"a", "acc", "acct", "acct1", "acct2", "b", "devstoreaccount1"};
  for (const auto account : accounts) {
    for (const auto other : accounts) {
      for (const std::string_view table : {"", "aaa", "AAA", "zzz", "z9z"}) {
        CAPTURE(account);
        CAPTURE(other);
        const std::string key = encode_table_key(other, table);
        CHECK((encode_account_prefix(account) <= key && key < encode_account_end(account)) == (account == other));
      }
    }
  }
  CHECK(encode_account_end("zzz") < kClockKey);  // the 'm' rows follow all of them
}

TEST_CASE("table keys ignore the case of the name, and only of the name") {
  CHECK(encode_table_key("acct", "ABC") == encode_table_key("acct", "abc"));
  CHECK(encode_table_key("ACCT", "abc") != encode_table_key("acct", "abc"));
}

TEST_CASE("numbers are eight bytes, most significant first") {
  CHECK(encode_number(0) == std::string(8, '\0'));
  CHECK(encode_number(0x0102030405060708) == "\1\2\3\4\5\6\7\x08"s);
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x80}, std::uint64_t{1} << 63,
                                     std::numeric_limits<std::uint64_t>::max()}) {
    CAPTURE(number);
    CHECK(decode_number(encode_number(number)) == number);
  }
  for (std::size_t size = 0; size < 12; ++size) {
    CAPTURE(size);
    if (size != 8) CHECK_THROWS_AS(decode_number(std::string(size, '\1')), CorruptRecord);
  }
}

TEST_CASE("a row that is too short or of another format is damaged") {
  const std::string row = encode_table_row({TableId{7}, kUnixEpoch, "abc"});
  for (std::size_t size = 0; size < row.size() - 3; ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(decode_table_row(row.substr(0, size)), CorruptRecord);
  }
  for (const char format : {'\0', '\2', '\xFF'}) {
    CHECK_THROWS_AS(decode_table_row(format + row.substr(1)), CorruptRecord);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
