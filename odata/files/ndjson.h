// Entities as newline-delimited JSON.
//
//  file   := [byte order mark] { line LF }       the last line may lack its LF
//  line   := [object] [CR]                       blank lines are ignored, but count in line numbers
//  object := an entity as in a request body (odata/payload_reader.h): PartitionKey and RowKey (required), and
//            properties, before or after their `name@odata.type`. The reader ignores Timestamp and
//            `odata.*`, so that an entity in a response of the service is a valid line, too
//
// The writer writes PartitionKey, RowKey, Timestamp if requested, and the properties in their order. Reading
// returns the same values to the bit.
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
