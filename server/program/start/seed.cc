#include "server/program/start/seed.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "base/input_file.h"
#include "base/text.h"
#include "odata/files/entity_fault.h"
#include "odata/files/entity_format.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

using Warn = std::function<void(const std::string&)>;

[[noreturn]] void refuse(const fs::path& path, const std::string& sentence) {
  throw std::runtime_error("--seed: " + path.string() + ' ' + sentence);
}

// --- Files -------------------------------------------------------------------------------------------------

SeedFile seed_file(const fs::path& path, EntityFormat format, const std::string& account) {
  if (const std::string why = why_not_a_regular_file(path.string()); !why.empty())
    refuse(path, "cannot be read: " + why);
  SeedFile file{path, format, account, path.stem().string()};
  if (!check_table_name(file.table))
    refuse(path, "must be named after a table, but " +
                     quoted_for_message(is_utf8(file.table) ? file.table : "its name") +
                     " is not a table name: 3 to 63 letters and digits, the first a letter");
  return file;
}

// The entries of a folder, sorted, without hidden ones.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!entry->path().filename().string().starts_with('.')) entries.push_back(entry->path());
  if (error) refuse(folder, "cannot be read: " + error.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

void add_folder(std::vector<SeedFile>& files, const fs::path& folder, const std::string& account, bool with_accounts,
                const Warn& warn) {
  for (const fs::path& path : entries_of(folder)) {
    const auto format = format_of_file(path.string());
    if (fs::is_directory(path) && with_accounts) {
      const std::string name = path.filename().string();
      if (!is_account_name(name))
        refuse(path, "must be named after an account, but its name is not 3 to 24 lower-case letters and digits");
      add_folder(files, path, name, false, warn);
    } else if (fs::is_directory(path)) {
      warn("--seed: " + path.string() + " is skipped: the folder of an account must not contain folders");
    } else if (format) {
      files.push_back(seed_file(path, *format, account));
    } else {
      warn("--seed: " + path.string() + " is skipped: its name does not end in .ndjson, .jsonl or .csv");
    }
  }
}

void check_distinct(const std::vector<SeedFile>& files) {
  for (std::size_t i = 1; i < files.size(); ++i)
    if (files[i].account == files[i - 1].account && equals_ignoring_case(files[i].table, files[i - 1].table))
      refuse(files[i].path, "is for the same table as " + files[i - 1].path.string());
}

// --- Entities ----------------------------------------------------------------------------------------------

// Reads the entities of the files, one file after the other. Keeps the current position for error messages.
class SeedSource {
 public:
  explicit SeedSource(const std::vector<SeedFile>& files) : files_(files) {}

  std::vector<SeedTable> tables() {
    std::vector<SeedTable> tables;
    tables.reserve(files_.size());
    for (const SeedFile& file : files_)
      tables.push_back({file.account, file.table, [this, &file] { return next_of(file); }});
    return tables;
  }

  // Call if the last entity has the keys of an earlier one.
  [[noreturn]] void refuse_duplicate() const {
    throw FileError(current_->path.string(), reader_->place(),
                    "the entity with PartitionKey " + quoted_for_message(last_.partition_key) + " and RowKey " +
                        quoted_for_message(last_.row_key) + " is repeated");
  }

 private:
  std::optional<Entity> next_of(const SeedFile& file) {
    if (current_ != &file) open(file);
    auto entity = reader_->next();
    if (entity) last_ = entity->key;
    return entity;
  }

  void open(const SeedFile& file) {
    reader_.reset();
    try {
      in_ = std::make_unique<InputFile>(file.path.string());
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(std::string("--seed: ") + error.what());
    }
    current_ = &file;
    reader_ = open_entity_reader(file.format, *in_, file.path.string());
  }

  const std::vector<SeedFile>& files_;
  const SeedFile* current_ = nullptr;
  std::unique_ptr<InputFile> in_;
  std::unique_ptr<EntityReader> reader_;
  EntityKey last_;
};

void check_accounts(const std::vector<SeedFile>& files, const Accounts& accounts) {
  for (const SeedFile& file : files)
    if (accounts.keys_of(file.account) == nullptr)
      refuse(file.path, "is for the account " + file.account +
                            ", which does not exist; add it with --accounts, use --anyAccount, or choose "
                            "another one with --seedAccount");
}

}  // namespace

std::vector<SeedFile> find_seed_files(const Seed& seed, const Warn& warn) {
  std::error_code error;
  const auto status = fs::status(seed.path, error);
  if (!fs::exists(status)) refuse(seed.path, "cannot be read: " + (error ? error.message() : "no such file or folder"));
  std::vector<SeedFile> files;
  if (fs::is_directory(status)) {
    add_folder(files, seed.path, seed.account, true, warn);
  } else if (const auto format = format_of_file(seed.path.string())) {
    files.push_back(seed_file(seed.path, *format, seed.account));
  }
  if (files.empty()) refuse(seed.path, "contains no tables: name files TABLE.ndjson or TABLE.csv");
  std::sort(files.begin(), files.end(), [](const SeedFile& a, const SeedFile& b) {
    const auto place = [](const SeedFile& file) { return std::pair(file.account, to_lower_ascii(file.table)); };
    return std::pair(place(a), a.path) < std::pair(place(b), b.path);
  });
  check_distinct(files);
  return files;
}

std::string seed_store(Store& store, const Seed& seed, const Accounts& accounts, const Warn& warn) {
  if (store.count_tables(1) > 0) {
    warn("the store already has tables: --seed " + seed.path.string() + " is ignored");
    return {};
  }
  const std::vector<SeedFile> files = find_seed_files(seed, warn);
  check_accounts(files, accounts);
  SeedSource source(files);
  const auto seeded = store.seed(source.tables());
  if (!seeded && seeded.error().code == ErrorCode::EntityAlreadyExists) source.refuse_duplicate();
  const SeedCount count = seeded.value();
  return "seeded " + counted(count.tables, "table", "tables") + " with " +
         counted(count.entities, "entity", "entities") + " from " + seed.path.string();
}

}  // namespace rocktable
