// Entities as files hold them: one interface for readers and one for writers of all formats, over streams, in memory
// of a bounded size.
//
//   ndjson  a line an entity, as OData JSON with `@odata.type` annotations; keeps all (odata/files/ndjson.h)
//   csv     as Azure Storage Explorer writes it; keeps all but each entity's order of properties (odata/files/csv.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "odata/entity.h"
#include "odata/files/file_error.h"

namespace rocktable {

// What a line may be long, the lines of a quoted field taken together. The largest entity, escaped as far as it can be,
// needs 7 MiB.
inline constexpr std::size_t kMaxLineBytes = 8 * 1024 * 1024;

class EntityReader {
 public:
  virtual ~EntityReader() = default;

  // The next entity, nothing at the end. It keeps all limits of the service (check_entity); its timestamp is 0, for
  // timestamps are the service's to give. Throws FileError, and is of no use then.
  virtual std::optional<Entity> next() = 0;

  // Where the entity begins that next() returned last: for what only the caller can find wrong.
  virtual FilePlace place() const = 0;

  // What was taken from the stream so far.
  virtual std::uint64_t bytes_read() const = 0;
};

struct EntityWriterOptions {
  // Whether entities carry their Timestamp. Readers do not look at it.
  bool timestamps = false;
  // CSV alone: the properties that have columns, in this order, for the header comes before the first entity
  // (PropertyNames collects them). An entity with another property is an error.
  std::vector<std::string> columns;
  // CSV alone: false to go on with a file that has its header.
  bool header = true;
  // CSV alone: texts that a spreadsheet would take for formulas are escaped (csv.h).
  bool escape_formulas = false;
};

class EntityWriter {
 public:
  virtual ~EntityWriter() = default;

  // Throws FileError where the stream takes no more.
  virtual void write(const EntityView& entity) = 0;

  // All written so far is handed on, and the stream flushed. What was not flushed is lost. Throws as above.
  virtual void flush() = 0;
};

}  // namespace rocktable
