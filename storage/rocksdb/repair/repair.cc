#include "storage/rocksdb/repair/repair.h"

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include "storage/folder_swap.h"
#include "storage/format/entity_codec.h"
#include "storage/rocksdb/catalog_rows.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/format/catalog_codec.h"
#include "storage/rocksdb/format/log_check.h"
#include "storage/rocksdb/repair/older_versions.h"
#include "storage/rocksdb/repair/salvage.h"
#include "storage/rocksdb/repair/table_files.h"
#include "storage/rocksdb/rocksdb.h"
#include "storage/store_error.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

// Locks the store, so that no process opens it during the repair.
class Lock {
 public:
  explicit Lock(const fs::path& store) {
    const auto status = rocksdb::Env::Default()->LockFile((store / "LOCK").string(), &lock_);
    if (is_in_use(status)) throw in_use(store);
    if (!status.ok())
      throw StoreError("cannot lock the store in " + store.string() + ": " + status.ToString());
  }
  ~Lock() { rocksdb::Env::Default()->UnlockFile(lock_).PermitUncheckedError(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  rocksdb::FileLock* lock_ = nullptr;
};

rocksdb::DBOptions plain_options() {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.info_log = std::make_shared<NullLogger>();
  options.verify_sst_unique_id_in_manifest = false;  // a mended file has another one
  return options;
}

// Hard-links table files, because they are never changed, only deleted. Copies all other files.
void copy_store(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  fs::create_directory(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    const fs::path& path = entry.path();
    const std::string name = path.filename().string();
    if (!entry.is_regular_file() || name == "LOCK" || name.starts_with("LOG") || path.extension() == ".trash")
      continue;
    std::error_code refused = std::make_error_code(std::errc::not_supported);
    if (path.extension() == ".sst") fs::create_hard_link(path, to / name, refused);
    if (refused) fs::copy_file(path, to / name);
  }
}

// The contents of a store, and what they imply for its counters.
struct Inventory {
  std::map<std::uint64_t, std::uint64_t> entities;  // number of entities, by table id
  std::map<std::uint64_t, std::string> table_keys;  // keys in the catalog, by table id
  std::int64_t last_timestamp = 0;
  std::map<std::uint64_t, std::uint64_t>
      unfinished_clones;  // number of ids, by the first id; the next start deletes their rows
  std::vector<std::string> unreadable_tables,
      unreadable_entities;  // keys of rows that RocksDB reads and this program cannot decode
};

void list_tables(const Database& database, Inventory& out) {
  for_each_table_row(database, [&](std::string_view key, std::string_view bytes) {
    try {
      const TableRow row = decode_table_row(bytes);
      out.table_keys[static_cast<std::uint64_t>(row.id)] = key;
      out.last_timestamp = std::max(out.last_timestamp, row.created.ticks);
    } catch (const CorruptRecord&) {
      out.unreadable_tables.emplace_back(key);
    }
    return true;
  });
}

void list_unfinished_clones(Database& database, Inventory& out) {
  const std::unique_ptr<rocksdb::Iterator> rows(database.db().NewIterator({}, database.catalog()));
  for (rows->Seek(slice(kCloneTag)); rows->Valid() && rows->key().starts_with(slice(kCloneTag));
       rows->Next()) {
    try {
      out.unfinished_clones[static_cast<std::uint64_t>(decode_clone_key(view(rows->key())))] =
          decode_number(view(rows->value()));
    } catch (const CorruptRecord&) {
      out.unreadable_tables.push_back(rows->key().ToString());
    }
  }
  check(rows->status());
}

bool is_of_unfinished_clone(const Inventory& inventory, std::uint64_t id) {
  const auto after = inventory.unfinished_clones.upper_bound(id);
  if (after == inventory.unfinished_clones.begin()) return false;
  const auto& [first, count] = *std::prev(after);
  return id - first < count;
}

// Returns the number of entities, without those of unfinished clones.
std::uint64_t count_listed_entities(const Inventory& inventory) {
  std::uint64_t out = 0;
  for (const auto& [id, count] : inventory.entities)
    if (!is_of_unfinished_clone(inventory, id)) out += count;
  return out;
}

void count_entities(Database& database, Inventory& out) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> rows(database.db().NewIterator(options, database.entities()));
  std::vector<PropertyView> properties;
  for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
    try {
      out.last_timestamp = std::max(out.last_timestamp, decode_entity(view(rows->value()), properties).ticks);
      ++out.entities[decode_number(view(rows->key()).substr(0, 8))];
    } catch (const CorruptRecord&) {
      out.unreadable_entities.push_back(rows->key().ToString());
    }
  }
  check(rows->status());
}

// Same as read_number(), but also returns the fallback if the number is damaged.
std::uint64_t number_or(Database& database, std::string_view key, std::uint64_t fallback) {
  try {
    return read_number(database, key).value_or(fallback);
  } catch (const CorruptRecord&) {
    return fallback;
  }
}

Inventory take_inventory(Database& database) {
  if (number_or(database, kFormatKey, kStoreFormat) > kStoreFormat)
    throw StoreError("it was written by a newer rocktable");
  Inventory out;
  check(database.db().VerifyChecksum({}));
  list_tables(database, out);
  list_unfinished_clones(database, out);
  count_entities(database, out);
  return out;
}

void put_number(Database& database, rocksdb::WriteBatch& batch, std::string_view key, std::uint64_t number) {
  check(batch.Put(database.catalog(), slice(key), slice(encode_number(number))));
}

// Deletes rows that cannot be decoded. Otherwise each request for them would fail.
void remove_unreadable(Database& database, const Inventory& inventory, rocksdb::WriteBatch& batch,
                       std::vector<std::string>& lost) {
  for (const auto& key : inventory.unreadable_tables) check(batch.Delete(database.catalog(), key));
  for (const auto& key : inventory.unreadable_entities) check(batch.Delete(database.entities(), key));
  if (!inventory.unreadable_entities.empty())
    lost.push_back(std::to_string(inventory.unreadable_entities.size()) + " entities that cannot be read");
}

// Sets the counters beyond all values found, so that no table gets the rows of another, and no ETag is used
// twice. Creates a table for rows without one.
void complete_catalog(Database& database, Inventory& inventory, std::string_view account,
                      std::vector<std::string>& lost) {
  rocksdb::WriteBatch batch;
  std::uint64_t last_id = number_or(database, kNextTableIdKey, 1) - 1;
  if (!inventory.table_keys.empty()) last_id = std::max(last_id, inventory.table_keys.rbegin()->first);
  const auto mark = static_cast<std::uint64_t>(std::max(
      {inventory.last_timestamp, now().ticks, static_cast<std::int64_t>(number_or(database, kClockKey, 0))}));
  for (const auto& [id, count] : inventory.entities) {
    last_id = std::max(last_id, id);
    if (inventory.table_keys.contains(id) || is_of_unfinished_clone(inventory, id)) continue;
    const std::string name = "recovered" + std::to_string(id);
    const std::string key = encode_table_key(account, name);
    const TableRow row{static_cast<TableId>(id), now(), name};
    check(batch.Put(database.catalog(), slice(key), slice(encode_table_row(row))));
    inventory.table_keys[id] = key;
    lost.push_back("the name of a table with " + std::to_string(count) + " entities: it is now " + name +
                   " of the account " + std::string(account));
  }
  remove_unreadable(database, inventory, batch, lost);
  put_number(database, batch, kNextTableIdKey, last_id + 1);
  put_number(database, batch, kClockKey, mark);
  put_number(database, batch, kFormatKey, kStoreFormat);
  check(batch.Delete(database.catalog(), kContentsKey));  // the next start makes another one
  rocksdb::WriteOptions options;
  options.sync = true;
  check(database.db().Write(options, &batch));
  check(database.db().Flush({}, {database.catalog(), database.entities()}));
}

// What is wrong with the store, in a sentence; nothing where it is whole.
std::optional<std::string> fault_of(const fs::path& store, RepairReport& report) {
  const LogCheck logs = check_logs(store);
  report.incomplete = logs.torn;
  if (!logs.damage.empty()) return logs.damage;
  try {
    Database database(plain_options(), store.string());
    const Inventory inventory = take_inventory(database);
    for (const auto key : {kFormatKey, kClockKey, kNextTableIdKey}) read_number(database, key);
    if (!inventory.unreadable_tables.empty() || !inventory.unreadable_entities.empty())
      return "rows that cannot be read";
    report.tables = inventory.table_keys.size();
    report.entities = count_listed_entities(inventory);
    return std::nullopt;
  } catch (const StoreFault& fault) {
    if (!fault.is_damage()) throw StoreError(fault.what());
    return fault.what();
  } catch (const CorruptRecord& fault) {
    return fault.what();
  }
}

// Returns the name of an entity as in a URL of the service. `tables` has the names of tables.
std::string name_of(const std::string& key, const std::map<std::uint64_t, std::string>& tables) {
  if (key.size() <= 8) return "the beginning of a table";
  const auto table = tables.find(decode_number(std::string_view(key).substr(0, 8)));
  std::string scratch;
  const EntityKeyView entity = decode_entity_key(key, scratch);
  std::string name = table == tables.end() ? "a table" : table->second.substr(1);
  std::replace(name.begin(), name.end(), '\0', '/');
  return name + "(PartitionKey='" + std::string(entity.partition_key) + "',RowKey='" +
         std::string(entity.row_key) + "')";
}

// Describes the rows lost between two entities. A name is empty if the gap is at the beginning or at the end.
std::string gap_between(const std::string& before, const std::string& after) {
  if (before.empty() && after.empty()) return "all entities";
  if (before.empty()) return "entities before " + after;
  return after.empty() ? "entities after " + before : "entities between " + before + " and " + after;
}

using TableNames = std::map<std::uint64_t, std::string>;

std::string sentence_of(const LostRange& range, const TableNames& tables) {
  if (range.family == 1) return "rows of the catalog in " + range.file + ": table names, settings";
  const auto name = [&](const std::string& key) { return key.empty() ? "" : name_of(key, tables); };
  if (range.before.empty() && range.after.empty() && !range.smallest.empty())
    return "all entities of " + range.file + ", from " + name(range.smallest) + " to " + name(range.largest);
  return gap_between(name(range.before), name(range.after)) + " in " + range.file;
}

// Says what the mended files have lost, and which entities may be older than that.
void report_lost(Database& database, const MendedFiles& mended, RepairReport& report) {
  Inventory inventory;
  list_tables(database, inventory);
  for (const LostRange& range : mended.lost) {
    report.lost.push_back(sentence_of(range, inventory.table_keys));
    for_each_older_version(database, range, [&](const std::string& key) {
      if (range.family == 1) return;  // settings have no names
      ++report.older_count;
      if (report.older.size() < RepairReport::kMaxNamed)
        report.older.push_back(name_of(key, inventory.table_keys));
    });
  }
  for (const std::string& file : mended.lost_deletions)
    report.lost.push_back("deletions of many entities at once in " + file +
                          ": such entities may be there again");
}

void copy_rows(Database& from, Database& to, std::vector<std::string>& lost) {
  copy_readable({from.db(), from.catalog()}, {to.db(), to.catalog()}, [&](const auto&, const auto&) {
    lost.push_back("rows of the catalog: table names, settings");
  });
  Inventory inventory;
  list_tables(to, inventory);
  const auto name = [&](const std::string& key) { return name_of(key, inventory.table_keys); };
  copy_readable(
      {from.db(), from.entities()}, {to.db(), to.entities()},
      [&](const std::string& before, const std::string& after) {
        lost.push_back(gap_between(before.empty() ? "" : name(before), after.empty() ? "" : name(after)));
      });
}

// Creates a new manifest for all whole files.
void rebuild_manifest(const fs::path& store, std::vector<std::string>& lost) {
  rocksdb::DBOptions options;
  options.info_log = std::make_shared<NullLogger>();
  check(rocksdb::RepairDB(store.string(), options, column_families()));
  const fs::path left_out = store / "lost";
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(left_out, absent))
    if (entry.path().extension() == ".sst" && entry.file_size() > 0)
      lost.push_back("the entities in " + entry.path().filename().string() + " (" +
                     std::to_string(entry.file_size()) + " bytes), except older versions of them");
}

// Replays a write batch of a log. Batches name column families by numbers: 1 (catalog) and 2 (entities) in
// every store.
class Replay : public rocksdb::WriteBatch::Handler {
 public:
  explicit Replay(Database& to) : to_(to) {}

  void run(const std::string& batch) {
    check(rocksdb::WriteBatch(batch).Iterate(this));
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    check(to_.db().Write(options, &out_));
    out_.Clear();
  }

  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    return out_.Put(family_of(family), key, value);
  }
  rocksdb::Status DeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    return out_.Delete(family_of(family), key);
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t family, const rocksdb::Slice& begin,
                                const rocksdb::Slice& end) override {
    return out_.DeleteRange(family_of(family), begin, end);
  }
  void LogData(const rocksdb::Slice&) override {}

 private:
  rocksdb::ColumnFamilyHandle* family_of(std::uint32_t number) {
    return number == 1 ? to_.catalog() : to_.entities();
  }

  Database& to_;
  rocksdb::WriteBatch out_;
};

void remove_logs(const fs::path& store) {
  std::vector<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(store))
    if (entry.path().extension() == ".log") logs.push_back(entry.path());
  for (const auto& log : logs) fs::remove(log);
}

// Copies the rows of the files. Returns false if the manifest does not open them, or if rows cannot be read
// around damage.
bool copy_files(const fs::path& store, const MendedFiles& mended, const fs::path& to, RepairReport& report) {
  RepairReport added;
  try {
    fs::remove_all(to);
    Database source(plain_options(), store.string()), target(plain_options(), to.string());
    report_lost(source, mended, added);
    copy_rows(source, target, added.lost);
  } catch (const StoreFault& fault) {
    if (!fault.is_damage()) throw;
    return false;
  }
  report.lost.insert(report.lost.end(), added.lost.begin(), added.lost.end());
  report.older = std::move(added.older);
  report.older_count = added.older_count;
  return true;
}

// RocksDB would create a new store if CURRENT named no manifest.
void restore_current(const fs::path& store) {
  const std::string manifest = current_manifest(store);
  if (manifest.empty()) return;
  fs::remove(store / "CURRENT");
  std::ofstream(store / "CURRENT") << manifest << "\n";
}

// A copy whose files can all be read, without logs. Returns what the files have lost.
MendedFiles mended_copy(const fs::path& store, const fs::path& copy, bool by_manifest) {
  copy_store(store, copy);
  restore_current(copy);
  remove_logs(copy);
  return mend_files(copy, by_manifest);
}

// Creates a new store from the readable parts of the damaged one: first the rows of the files, then the
// operations of the logs. Works on a copy of the damaged store, which it consumes.
void salvage(const fs::path& store, const fs::path& copy, const fs::path& to, RepairReport& report) {
  copy_store(store, copy);
  restore_current(copy);
  const bool trust_manifest = [&] {
    const LogCheck logs = check_logs(copy);
    return logs.damage.empty() || !logs.logs_are_whole;
  }();
  const std::vector<std::string> batches = batches_in_logs(copy);
  if (!trust_manifest || !copy_files(copy, mended_copy(store, copy, true), to, report)) {
    const MendedFiles mended = mended_copy(store, copy, false);
    const bool has_files = std::any_of(fs::directory_iterator(copy), {},
                                       [](const auto& entry) { return entry.path().extension() == ".sst"; });
    if (has_files) rebuild_manifest(copy, report.lost);
    if (!has_files) fs::remove_all(copy);
    if (!copy_files(copy, mended, to, report)) throw StoreError("none of its files can be read");
  }
  Database target(plain_options(), to.string());
  Replay replay(target);
  for (const auto& batch : batches) replay.run(batch);
  check(target.db().Flush({}, {target.catalog(), target.entities()}));
}

fs::path backup_name(const fs::path& store) {
  for (int i = 1;; ++i) {
    const fs::path name = store.string() + ".damaged" + std::to_string(i);
    if (!fs::exists(name)) return name;
  }
}

// Replaces the path of the copy by that of the store, which the user knows.
std::string with_name(std::string text, const fs::path& copy, const fs::path& store) {
  for (auto at = text.find(copy.string()); at != std::string::npos; at = text.find(copy.string()))
    text.replace(at, copy.string().size(), store.string());
  return text;
}

RepairReport repair(const fs::path& store, const fs::path& copy, std::string_view account) {
  RepairReport report;
  copy_store(store, copy);
  const auto fault = fault_of(copy, report);
  if (!fault) {
    report.was_whole = true;
    fs::remove_all(copy);
    return report;
  }
  report.lost.push_back(with_name(*fault, copy, store));
  const fs::path made = copy.string() + "ed";
  salvage(store, copy, made, report);
  fs::remove_all(copy);
  fs::rename(made, copy);
  keep_out_of_git(copy);
  {
    Database database(plain_options(), copy.string());
    Inventory inventory = take_inventory(database);
    complete_catalog(database, inventory, account, report.lost);
    report.tables = inventory.table_keys.size();
    report.entities = count_listed_entities(inventory);
  }
  report.backup = backup_name(store);
  swap_folders(copy, store);  // a store exists at any moment
  fs::rename(copy, report.backup);
  return report;
}

}  // namespace

RepairReport repair_store(const fs::path& named, std::string_view account) {
  if (!fs::is_directory(named)) throw StoreError("there is no store in " + named.string());
  const fs::path store =
      real_path(named);  // new folders are made beside the folder itself, not beside a link to it
  const Lock lock(store);
  const fs::path copy = store.string() + ".repair";
  try {
    return repair(store, copy, account);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(copy, ignored);
    fs::remove_all(copy.string() + "ed", ignored);
    throw StoreError("cannot repair the store in " + store.string() + ": " + error.what());
  }
}

}  // namespace rocktable
