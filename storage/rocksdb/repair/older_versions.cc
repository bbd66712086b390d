#include "storage/rocksdb/repair/older_versions.h"

#include <rocksdb/utilities/debug.h>

#include <vector>

#include "storage/rocksdb/database/rocksdb.h"

namespace rocktable {
namespace {

constexpr std::size_t kVersionsAtOnce = 1'000;
constexpr int kValueType = 1;  // of KeyVersion::type
constexpr std::string_view kBehindAllKeys = "\xff";

}  // namespace

void for_each_older_version(Database& database, const LostRange& range,
                            const std::function<void(const std::string&)>& visit) {
  rocksdb::ColumnFamilyHandle* const family = range.family == 1 ? database.catalog() : database.entities();
  std::string last = range.before.empty() ? range.smallest : range.before;
  const std::string end = !range.after.empty()    ? range.after
                          : range.largest.empty() ? std::string(kBehindAllKeys)
                                                  : range.largest;
  bool is_first = true;
  for (;;) {
    std::vector<rocksdb::KeyVersion> versions;
    check(rocksdb::GetAllKeyVersions(&database.db(), family, slice(last), slice(end), kVersionsAtOnce, &versions));
    bool goes_on = false;
    for (const auto& version : versions) {
      if (version.user_key == last && !(is_first && range.before.empty())) continue;  // seen, or outside
      is_first = false;
      goes_on = true;
      last = version.user_key;  // the first version is the newest
      if (version.user_key == range.after || version.type != kValueType || version.sequence > range.last_sequence)
        continue;
      rocksdb::PinnableSlice value;  // a deletion of a range is no version
      if (database.db().Get({}, family, slice(version.user_key), &value).ok()) visit(version.user_key);
    }
    if (!goes_on || versions.size() < kVersionsAtOnce) return;
  }
}

}  // namespace rocktable
