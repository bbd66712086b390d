// The interface of readers and writers of entity files, for all formats. They work on streams, in memory of
// bounded size.
//
//  ndjson  one entity per line, as OData JSON with `@odata.type` annotations; keeps everything
//  csv     the format of Azure Storage Explorer; keeps everything except each entity's order of properties
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "odata/entity.h"
#include "odata/files/file_error.h"

namespace rocktable {

// The largest length of a line; all lines of a quoted CSV field count together. The largest entity, with as
// many escapes as possible, needs 7 MiB.
inline constexpr std::size_t kMaxLineBytes = 8 * 1024 * 1024;

class EntityReader {
 public:
  virtual ~EntityReader() = default;

  // Returns the next entity, or nullopt at the end. The entity keeps all limits of the service
  // (check_entity). Its timestamp is 0, because the service sets timestamps. Throws FileError; then the
  // reader cannot be used any more.
  virtual std::optional<Entity> next() = 0;

  // Returns where the entity of the last next() begins, for errors that only the caller can find.
  virtual FilePlace place() const = 0;

  // Returns the bytes taken from the stream so far.
  virtual std::uint64_t bytes_read() const = 0;
};

struct EntityWriterOptions {
  // Whether to write each entity's Timestamp. Readers ignore it.
  bool timestamps = false;
  // Only for CSV: the properties that have columns, in this order. The header needs them before the first
  // entity; PropertyNames collects them. An entity with any other property is an error.
  std::vector<std::string> columns;
  // Only for CSV: false to continue a file that has its header already.
  bool header = true;
  // Only for CSV: whether to escape texts that a spreadsheet would treat as formulas (csv.h).
  bool escape_formulas = false;
};

class EntityWriter {
 public:
  virtual ~EntityWriter() = default;

  // Throws FileError if writing to the stream fails.
  virtual void write(const EntityView& entity) = 0;

  // Writes all entities to the stream and flushes it. Entities are lost if this is not called. Throws
  // FileError as write().
  virtual void flush() = 0;
};

}  // namespace rocktable
