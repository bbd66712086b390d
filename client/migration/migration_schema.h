// The JSON schema of migration files, for completion in editors. docs/migration.schema.json is compiled into
// the program and written next to the user's migrations.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace rocktable::migration {

extern const char* const kMigrationSchema;

// The file name, used for "$schema". read_migrations() skips it.
inline constexpr std::string_view kSchemaFile = "migration.schema.json";

enum class SchemaState {
  Written,  // the file was missing or an earlier version
  Same,
  Changed,  // the user changed the file; it was kept
};

// Writes the schema to the folder. `earlier` are the SHA-256 digests, in hexadecimal, of earlier versions,
// which are replaced. Throws std::runtime_error if the file cannot be read or written.
SchemaState write_schema(const std::filesystem::path& folder, std::string_view schema,
                         std::span<const std::string_view> earlier);
// Writes the schema of this program.
SchemaState write_schema(const std::filesystem::path& folder);

}  // namespace rocktable::migration
