// Any bytes as a damaged table file of RocksDB, and as a manifest: a file that has the same rows when it is mended
// again.
#include "storage/rocksdb/format/manifest.h"
#include "storage/rocksdb/repair/table_mender.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {

void fuzz_table_file(std::string_view input) {
  tables_of_manifest(input);
  const MendedTable mended = mend_table(input, {});
  require(mend_table(mended.bytes, {}).rows == mended.rows, "a mended file has other rows");
  TableFacts facts;
  facts.size = input.size() + 200;
  const MendedTable sized = mend_table(input, facts);
  require(sized.rows <= mended.rows, "a file has more rows if its size is known");
  require(sized.bytes.size() == *facts.size || sized.rows == 0, "a mended file has another size than it must have");
  require(mend_table(sized.bytes, facts).rows == sized.rows, "a mended file of a given size has other rows");
}

}  // namespace rocktable
