#include "client/migration/migration_schema.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "client/sha256.h"

namespace rocktable::migration {
namespace {

// SHA-256 digests of earlier versions of docs/migration.schema.json. Add the old digest when you change the
// file.
constexpr std::string_view kEarlier[] = {"5419a68b810458229de8fe32a3e5d866a423469aa35f64d9e01317d99d4f0391"};

}  // namespace

SchemaState write_schema(const std::filesystem::path& folder, std::string_view schema,
                         std::span<const std::string_view> earlier) {
  const auto file = folder / kSchemaFile;
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown)) {
    InputFile in(file.string());
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    if (in.bad()) throw std::runtime_error(file.string() + " cannot be read");
    if (text == schema) return SchemaState::Same;
    if (std::find(earlier.begin(), earlier.end(), sha256_hex(text)) == earlier.end()) return SchemaState::Changed;
  }
  AtomicFile replacement(file, FileRights::ReadableByAll);
  replacement.write(std::string(schema));
  if (!replacement.replace()) throw std::runtime_error(file.string() + " cannot be written: " + std::strerror(errno));
  return SchemaState::Written;
}

SchemaState write_schema(const std::filesystem::path& folder) {
  return write_schema(folder, kMigrationSchema, kEarlier);
}

}  // namespace rocktable::migration
