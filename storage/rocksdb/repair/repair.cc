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

#include "base/folder_swap.h"
#include "storage/format/entity_codec.h"
#include "storage/rocksdb/database/catalog_rows.h"
#include "storage/rocksdb/database/database.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/format/catalog_codec.h"
#include "storage/rocksdb/format/log_check.h"
#include "storage/rocksdb/repair/older_versions.h"
#include "storage/rocksdb/repair/salvage.h"
#include "storage/rocksdb/repair/table_files.h"
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
    if (!status.ok()) throw StoreError("cannot lock the store in " + store.string() + ": " + status.ToString());
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
    if (!entry.is_regular_file() || name == "LOCK" || name.starts_with("LOG") || path.extension() == ".trash") continue;
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
  for (rows->Seek(slice(kCloneTag)); rows->Valid() && rows->key().starts_with(slice(kCloneTag)); rows->Next()) {
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

// Omits the rows of finished clones, which are there again if their deletion is lost. The next start would delete the
// entities of the tables that such a clone has made.
void remove_finished_clones(Database& database, Inventory& inventory, rocksdb::WriteBatch& batch) {
  for (auto clone = inventory.unfinished_clones.begin(); clone != inventory.unfinished_clones.end();) {
    const auto& [first, count] = *clone;
    const auto table = inventory.table_keys.lower_bound(first);
    if (table == inventory.table_keys.end() || table->first - first >= count) {
      ++clone;
      continue;
    }
    check(batch.Delete(database.catalog(), slice(encode_clone_key(static_cast<TableId>(first)))));
    clone = inventory.unfinished_clones.erase(clone);
  }
}

// Sets the counters beyond all values found, so that no table gets the rows of another, and no ETag is used
// twice. Creates a table for rows without one.
void complete_catalog(Database& database, Inventory& inventory, std::string_view account,
                      std::vector<std::string>& lost) {
  rocksdb::WriteBatch batch;
  remove_finished_clones(database, inventory, batch);
  std::uint64_t last_id = number_or(database, kNextTableIdKey, 1) - 1;
  if (!inventory.table_keys.empty()) last_id = std::max(last_id, inventory.table_keys.rbegin()->first);
  const auto mark = static_cast<std::uint64_t>(
      std::max({inventory.last_timestamp, now().ticks, static_cast<std::int64_t>(number_or(database, kClockKey, 0))}));
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
  if (logs.may_miss_last_log)
    report.older_unnamed.emplace_back(
        "what the operations of a missing log changed or deleted may be as it was before: entities, tables, "
        "settings");
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

using TableNames = std::map<std::uint64_t, std::string>;  // keys in the catalog, by table id

// Returns the name of a table as in a URL: account/table.
std::string name_of_table(std::uint64_t id, const TableNames& tables) {
  const auto table = tables.find(id);
  std::string name = table == tables.end() ? "a table" : table->second.substr(1);
  std::replace(name.begin(), name.end(), '\0', '/');
  return name;
}

// Returns the name of an entity as in a URL of the service.
std::string name_of(const std::string& key, const TableNames& tables) {
  if (key.size() <= 8) return "the beginning of a table";
  std::string scratch;
  const EntityKeyView entity = decode_entity_key(key, scratch);
  return name_of_table(decode_number(std::string_view(key).substr(0, 8)), tables) + "(PartitionKey='" +
         std::string(entity.partition_key) + "',RowKey='" + std::string(entity.row_key) + "')";
}

// Returns the name of what a row of the catalog describes, as in a URL; empty if no client sees the row.
std::string name_of_catalog_row(const std::string& key, const TableNames& tables) {
  const std::string rest = key.substr(std::min<std::size_t>(key.size(), 1));
  if (key.starts_with('a') && rest.find('\0') != std::string::npos)
    return rest.substr(0, rest.find('\0')) + "/Tables('" + rest.substr(rest.find('\0') + 1) + "')";
  if (key.starts_with('p')) return rest + "/?restype=service&comp=properties";
  if (!key.starts_with('i') || rest.size() != 8 || !tables.contains(decode_number(rest))) return "";
  return name_of_table(decode_number(rest), tables) + "?comp=acl";
}

// Describes the rows lost between two entities. A name is empty if the gap is at the beginning or at the end.
std::string gap_between(const std::string& before, const std::string& after) {
  if (before.empty() && after.empty()) return "all entities";
  if (before.empty()) return "entities before " + after;
  return after.empty() ? "entities after " + before : "entities between " + before + " and " + after;
}

std::string sentence_of(const LostRange& range, const TableNames& tables) {
  if (range.family == 1) return "rows of the catalog in " + range.file + ": table names, settings";
  const auto name = [&](const std::string& key) { return key.empty() ? "" : name_of(key, tables); };
  if (range.before.empty() && range.after.empty() && !range.smallest.empty())
    return "all entities of " + range.file + ", from " + name(range.smallest) + " to " + name(range.largest);
  return gap_between(name(range.before), name(range.after)) + " in " + range.file;
}

// Whether a file other than this one has rows that the file's deletions of ranges may have deleted.
bool has_older_rows(const std::vector<rocksdb::LiveFileMetaData>& files, const LostDeletions& lost) {
  const std::string_view family = lost.family == 1 ? "catalog" : "entities";
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    return file.column_family_name == family && !file.name.ends_with(lost.file) &&
           file.smallest_seqno < lost.last_sequence;
  });
}

void report_lost_deletions(Database& database, const MendedFiles& mended, RepairReport& report) {
  std::vector<rocksdb::LiveFileMetaData> files;
  database.db().GetLiveFilesMetaData(&files);
  for (const LostDeletions& lost : mended.lost_deletions) {
    if (!lost.is_certain && !has_older_rows(files, lost)) continue;
    const std::string what = lost.family == 1 ? "tables and settings" : "entities";
    report.older_unnamed.push_back((lost.is_certain
                                        ? "deletions of many " + what + " at once in " + lost.file + " are lost"
                                        : lost.file + " may have had deletions of many " + what + " at once") +
                                   ": what they deleted may be there again");
  }
}

// Says what the mended files have lost, and what may be older than that.
void report_lost(Database& database, const MendedFiles& mended, RepairReport& report) {
  Inventory inventory;
  list_tables(database, inventory);
  for (const LostRange& range : mended.lost) {
    report.lost.push_back(sentence_of(range, inventory.table_keys));
    for_each_older_version(database, range, [&](const std::string& key) {
      const std::string name =
          range.family == 1 ? name_of_catalog_row(key, inventory.table_keys) : name_of(key, inventory.table_keys);
      if (name.empty()) return;
      ++report.older_count;
      if (report.older.size() < RepairReport::kMaxNamed) report.older.push_back(name);
    });
  }
  report_lost_deletions(database, mended, report);
}

void copy_rows(Database& from, Database& to, std::vector<std::string>& lost) {
  copy_readable({from.db(), from.catalog()}, {to.db(), to.catalog()},
                [&](const auto&, const auto&) { lost.push_back("rows of the catalog: table names, settings"); });
  Inventory inventory;
  list_tables(to, inventory);
  const auto name = [&](const std::string& key) { return name_of(key, inventory.table_keys); };
  copy_readable({from.db(), from.entities()}, {to.db(), to.entities()},
                [&](const std::string& before, const std::string& after) {
                  lost.push_back(gap_between(before.empty() ? "" : name(before), after.empty() ? "" : name(after)));
                });
}

// Creates a new manifest for all whole files.
void rebuild_manifest(const fs::path& store, RepairReport& report) {
  rocksdb::DBOptions options;
  options.info_log = std::make_shared<NullLogger>();
  check(rocksdb::RepairDB(store.string(), options, column_families()));
  const fs::path left_out = store / "lost";
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(left_out, absent)) {
    if (entry.path().extension() != ".sst" || entry.file_size() == 0) continue;
    const std::string file = entry.path().filename().string();
    report.lost.push_back("the entities in " + file + " (" + std::to_string(entry.file_size()) +
                          " bytes), except older versions of them");
    report.older_unnamed.push_back("what was in " + file + " may be as it was before");
  }
}

// What the table files of a database have of the numbers of operations.
struct FileNumbers {
  std::map<unsigned, std::uint64_t> last;  // by column family; 1 and 2
  bool are_partial = false;                // compaction has set the numbers of old rows to zero

  std::uint64_t least() const { return std::min(last.at(1), last.at(2)); }
  std::uint64_t last_of_all() const { return std::max(last.at(1), last.at(2)); }
};

FileNumbers numbers_in_files(Database& database) {
  FileNumbers out{{{1, 0}, {2, 0}}, false};
  std::vector<rocksdb::LiveFileMetaData> files;
  database.db().GetLiveFilesMetaData(&files);
  for (const auto& file : files) {
    const unsigned family = file.column_family_name == "catalog" ? 1 : 2;
    out.last[family] = std::max<std::uint64_t>(out.last[family], file.largest_seqno);
    out.are_partial = out.are_partial || file.smallest_seqno == 0;
  }
  return out;
}

// Says how many operations are lost that only the logs had. Their rows are not known, so nothing can be named.
void report_lost_operations(const LogCheck& logs, bool is_complete, const FileNumbers& files, RepairReport& report) {
  std::uint64_t count = 0;
  for (const MissingOperations& missing : logs.missing) {
    // A manifest that lost its end does not name the files that have the operations.
    const bool may_be_in_files = !missing.behind_damage && !is_complete;
    if (missing.end <= files.least() + 1) continue;
    if (may_be_in_files && (files.are_partial || missing.end <= files.last_of_all() + 1)) continue;
    count += missing.end - missing.first;
  }
  if (count == 0 && !logs.misses_more) return;
  std::string sentence = count > 0 && logs.misses_more ? "at least " : "";
  sentence += count == 0   ? "operations of the logs are lost: what they"
              : count == 1 ? "1 operation of the logs is lost: what it"
                           : std::to_string(count) + " operations of the logs are lost: what they";
  report.older_unnamed.push_back(sentence + " changed or deleted may be as it was before: entities, tables, settings");
}

// Replays write batches of the logs. Batches name column families by numbers: 1 (catalog) and 2 (entities) in
// every store.
class Replay : public rocksdb::WriteBatch::Handler {
 public:
  Replay(Database& to, const LogCheck& logs, const FileNumbers& files) : to_(to), logs_(logs), files_(files) {}

  // Where the logs have all operations after the batch, they have every newer version of its rows. Otherwise a table
  // file may have a newer one: `omits_old` leaves out the operations that are in table files.
  void run(const LoggedBatch& batch, bool omits_old) {
    log_ = batch.log;
    next_ = batch.first;
    omits_old_ = omits_old;
    check(rocksdb::WriteBatch(batch.bytes).Iterate(this));
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    check(to_.db().Write(options, &out_));
    out_.Clear();
  }

  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key, const rocksdb::Slice& value) override {
    return is_omitted(family) ? rocksdb::Status::OK() : out_.Put(family_of(family), key, value);
  }
  rocksdb::Status DeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    return is_omitted(family) ? rocksdb::Status::OK() : out_.Delete(family_of(family), key);
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t family, const rocksdb::Slice& begin, const rocksdb::Slice& end) override {
    return is_omitted(family) ? rocksdb::Status::OK() : out_.DeleteRange(family_of(family), begin, end);
  }
  void LogData(const rocksdb::Slice&) override {}

 private:
  // Whether to leave out the next operation.
  bool is_omitted(std::uint32_t family) {
    const std::uint64_t number = next_++;
    if (!omits_old_) return false;
    const auto last = files_.last.find(family);
    const auto first_log = logs_.first_logs.find(family);
    return (last != files_.last.end() && number <= last->second) ||
           (first_log != logs_.first_logs.end() && log_ < first_log->second);
  }

  rocksdb::ColumnFamilyHandle* family_of(std::uint32_t number) { return number == 1 ? to_.catalog() : to_.entities(); }

  Database& to_;
  const LogCheck& logs_;
  const FileNumbers& files_;
  std::uint64_t log_ = 0, next_ = 0;
  bool omits_old_ = false;
  rocksdb::WriteBatch out_;
};

// Returns the position of the first batch from which on the logs have every operation.
std::size_t first_unbroken(const std::vector<LoggedBatch>& batches, std::uint64_t last_in_files) {
  std::size_t out = 0;
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (batches[i].first > next) out = i;
    next = std::max(next, batches[i].first + batches[i].count);
  }
  return last_in_files < next ? out : batches.size();
}

void remove_logs(const fs::path& store) {
  std::vector<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(store))
    if (entry.path().extension() == ".log") logs.push_back(entry.path());
  for (const auto& log : logs) fs::remove(log);
}

// Copies the rows of the files. Returns what they have of the numbers of operations, or nullopt if the manifest does
// not open them, or if rows cannot be read around damage.
std::optional<FileNumbers> copy_files(const fs::path& store, const MendedFiles& mended, const fs::path& to,
                                      RepairReport& report) {
  RepairReport added;
  FileNumbers numbers;
  try {
    fs::remove_all(to);
    Database source(plain_options(), store.string()), target(plain_options(), to.string());
    numbers = numbers_in_files(source);
    report_lost(source, mended, added);
    copy_rows(source, target, added.lost);
  } catch (const StoreFault& fault) {
    if (!fault.is_damage()) throw;
    return std::nullopt;
  }
  report.lost.insert(report.lost.end(), added.lost.begin(), added.lost.end());
  report.older = std::move(added.older);
  report.older_count = added.older_count;
  report.older_unnamed.insert(report.older_unnamed.end(), added.older_unnamed.begin(), added.older_unnamed.end());
  return numbers;
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
  const LogCheck logs = check_logs(copy);
  const bool is_complete = manifest_is_complete(copy);
  const bool trusts_manifest = logs.damage.empty() || !logs.logs_are_whole;
  const std::vector<LoggedBatch> batches = batches_in_logs(copy);
  std::optional<FileNumbers> files;
  if (trusts_manifest) files = copy_files(copy, mended_copy(store, copy, true), to, report);
  if (!files) {
    const MendedFiles mended = mended_copy(store, copy, false);
    const bool has_files = std::any_of(fs::directory_iterator(copy), {},
                                       [](const auto& entry) { return entry.path().extension() == ".sst"; });
    if (has_files) rebuild_manifest(copy, report);
    if (!has_files) fs::remove_all(copy);
    files = copy_files(copy, mended, to, report);
    if (!files) throw StoreError("none of its files can be read");
  }
  report_lost_operations(logs, is_complete, *files, report);
  Database target(plain_options(), to.string());
  Replay replay(target, logs, *files);
  const std::size_t unbroken = first_unbroken(batches, files->last_of_all());
  for (std::size_t i = 0; i < batches.size(); ++i) replay.run(batches[i], i < unbroken);
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
  const fs::path store = real_path(named);  // new folders are made beside the folder itself, not beside a link to it
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
