// Reads migration files: one JSON document each, `0001_create_customers.json`. docs/migrations.md describes
// the steps, docs/migration.schema.json is the schema.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "client/migration/migration.h"
#include "odata/files/file_error.h"

namespace rocktable::migration {

// Throws FileError with file, line, column and property.
Migration parse_migration(std::string_view document, const std::string& file);

// Reads all *.json files of a folder, except the schema (migration_schema.h), sorted numerically by id.
// Throws FileError, and std::runtime_error if the folder cannot be read or two files have the same id.
std::vector<Migration> read_migrations(const std::filesystem::path& folder);

// Creates a file with the schema, the next id, and one step to edit. Returns its path. Throws
// std::runtime_error.
std::filesystem::path write_new_migration(const std::filesystem::path& folder, const std::string& name);

}  // namespace rocktable::migration
