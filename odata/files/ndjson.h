// Entities as lines of JSON.
//
//   file   := [byte order mark] { line LF }       the last line may lack its LF
//   line   := [object] [CR]                       blank lines count, and hold nothing
//   object := an entity as in a request body (odata/payload_reader.h): PartitionKey and RowKey, which it must have, and
//             properties behind or before their `name@odata.type`; Timestamp and `odata.*` may be there, and are not
//             looked at, so that an entity as the service answers it is a line, too
//
// Written are PartitionKey, RowKey, Timestamp where it is wanted, and the properties in their order. What was written
// reads back the same to the bit.
#pragma once

#include <optional>
#include <string>

#include "odata/files/entity_file.h"
#include "odata/files/line_stream.h"

namespace rocktable {

class NdjsonReader : public EntityReader {
 public:
  NdjsonReader(std::istream& in, std::string file) : lines_(in, std::move(file)) {}

  std::optional<Entity> next() override;
  FilePlace place() const override { return place_; }
  std::uint64_t bytes_read() const override { return lines_.bytes_read(); }

 private:
  Entity entity_of(std::string_view line);

  LineReader lines_;
  FilePlace place_;
};

class NdjsonWriter : public EntityWriter {
 public:
  NdjsonWriter(std::ostream& out, std::string file, bool timestamps)
      : lines_(out, std::move(file)), timestamps_(timestamps) {}

  void write(const EntityView& entity) override;
  void flush() override { lines_.flush(); }

 private:
  LineWriter lines_;
  bool timestamps_;
};

}  // namespace rocktable
