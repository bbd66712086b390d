// --seed: the tables that an empty store starts with, from files.
//
//   FILE                 TABLE.ndjson, TABLE.jsonl or TABLE.csv: a table of that name
//   DIR/FILE             so for each file of a folder
//   DIR/ACCOUNT/FILE     tables of another account, in a folder of its name
//
// Either all is there afterwards, or the store is as empty as it was, whatever ends the process meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/files/entity_format.h"
#include "server/access/accounts.h"
#include "storage/table_store.h"

namespace rocktable {

struct SeedFile {
  std::filesystem::path path;
  EntityFormat format;
  std::string account;
  std::string table;

  bool operator==(const SeedFile&) const = default;
};

// What --seed names: a file or a folder, and the account of files that lie in no folder of an account's name.
struct Seed {
  std::filesystem::path path;
  std::string account{kDevelopmentAccount};
};

// The files of a seed, in the order of accounts and tables. `tell` hears of files that are passed over, for they have
// another ending. Throws std::runtime_error, with a sentence that names the file: there is nothing to seed, a name that
// no table can have, two files for one table.
std::vector<SeedFile> find_seed_files(const Seed& seed, const std::function<void(const std::string&)>& tell);

// Fills the store, if it has no table, and returns a sentence that says with what; else leaves it alone, which `tell` hears,
// and returns an empty text. Throws std::runtime_error, with a sentence that names the file, and where in it something is
// wrong: as above, a broken file, an entity given twice, an account that `accounts` does not have.
std::string seed_store(TableStore& store, const Seed& seed, const Accounts& accounts,
                       const std::function<void(const std::string&)>& tell);

}  // namespace rocktable
