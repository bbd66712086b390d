// The schema of migration files, which editors complete them by: docs/migration.schema.json, part of the program, and
// beside the migrations of who uses it.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace rocktable::migration {

extern const char* const kMigrationSchema;

// What migration files name as "$schema", and what no migration is called.
inline constexpr std::string_view kSchemaFile = "migration.schema.json";

enum class SchemaState {
  Written,  // there was none, or an earlier version of ours
  Same,
  Changed,  // it is neither, and stays as it is
};

// Brings the schema into the folder. `earlier` are the SHA-256, in hex, of the versions of ours that it takes the place of.
// Throws std::runtime_error where it cannot be read or written.
SchemaState put_schema(const std::filesystem::path& folder, std::string_view schema,
                       std::span<const std::string_view> earlier);
// This program's.
SchemaState put_schema(const std::filesystem::path& folder);

}  // namespace rocktable::migration
