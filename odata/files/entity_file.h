// Entities as files hold them: one interface for readers and one for writers of all formats, over streams, in memory
// of a bounded size.
//
//   ndjson  a line an entity, as OData JSON with `@odata.type` annotations; keeps all (odata/files/ndjson.h)
//   csv     as Azure Storage Explorer writes it; keeps all but each entity's order of properties (odata/files/csv.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "odata/entity.h"
#include "odata/files/file_error.h"

namespace rocktable {

enum class EntityFormat { Ndjson, Csv };

// By the ending of a file's name: `.ndjson`, `.jsonl` or `.csv`, in any case.
std::optional<EntityFormat> format_of_file(std::string_view name);

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

// `file` is how errors name it. The stream must outlive the reader, and be opened as binary. A CSV's header is read
// here. Throws FileError.
std::unique_ptr<EntityReader> open_entity_reader(EntityFormat format, std::istream& in, std::string file);

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

// The stream must outlive the writer.
std::unique_ptr<EntityWriter> open_entity_writer(EntityFormat format, std::ostream& out, std::string file,
                                                 EntityWriterOptions options = {});

}  // namespace rocktable
