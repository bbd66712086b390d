// --seed: fills an empty store with tables from files.
//
//   FILE                 TABLE.ndjson, TABLE.jsonl or TABLE.csv: a table of this name
//   DIR/FILE             the same for each file of a folder
//   DIR/ACCOUNT/FILE     tables of the account ACCOUNT
//
// Atomic: if the process ends meanwhile, for any reason, the store is empty or complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/files/entity_format.h"
#include "odata/protocol/development_account.h"
#include "server/access/accounts.h"
#include "storage/store.h"

namespace rocktable {

struct SeedFile {
  std::filesystem::path path;
  EntityFormat format;
  std::string account;
  std::string table;

  bool operator==(const SeedFile&) const = default;
};

// The value of --seed, a file or folder, and the account of files that are not in a folder named after an
// account.
struct Seed {
  std::filesystem::path path;
  std::string account{kDevelopmentAccount};
};

// Returns the files of a seed, sorted by account and table. Calls `warn` with a warning for each skipped
// file. Throws std::runtime_error with a message that names the file: nothing to seed, an invalid table name,
// two files for one table.
std::vector<SeedFile> find_seed_files(const Seed& seed, const std::function<void(const std::string&)>& warn);

// If the store has no tables, fills it and returns a summary for the user. Otherwise calls `warn` with a
// warning and returns an empty string. Throws std::runtime_error with a message that names the file and the
// place in it: errors of find_seed_files(), a malformed file, a repeated entity, an account that is not in
// `accounts`.
std::string seed_store(Store& store, const Seed& seed, const Accounts& accounts,
                       const std::function<void(const std::string&)>& warn);

}  // namespace rocktable
