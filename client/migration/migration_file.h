// Migrations as files: one JSON document each, `0001_create_customers.json`; docs/migrations.md has the steps,
// docs/migration.schema.json the schema.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "client/migration/located_json.h"
#include "client/migration/migration.h"

namespace rocktable::migration {

// Throws FileError, which names the file, the place and the property.
Migration parse_migration(std::string_view document, const std::string& file);

// All *.json of a folder but the schema (migration_schema.h), in the order of their ids ("10" behind "2"). Throws FileError, and std::runtime_error for a
// folder that cannot be read and an id that two files have.
std::vector<Migration> read_migrations(const std::filesystem::path& folder);

// What a new file begins with: its schema, the next id, and a step to change. Returns the file's path. Throws std::runtime_error.
std::filesystem::path write_new_migration(const std::filesystem::path& folder, const std::string& name);

}  // namespace rocktable::migration
