// Entities as comma-separated values, in the format of Azure Storage Explorer.
//
//  file   := [byte order mark] header { record }
//  header := names of columns, in any order: PartitionKey and RowKey (required), Timestamp, and for each
//            property NAME and `NAME@type`
//  record := fields as in RFC 4180, as many as the header has: separated by commas, in double quotes if they
//            contain one of , " CR LF (a quote within is doubled); ends with CR LF or LF. Blank lines are
//            ignored
//
// A type is String, Boolean, Int32, Int64, Double, DateTime, Guid or Binary (base64), with or without `Edm.`.
// If the type is empty or has no column, an empty value means that the entity does not have the property, and
// any other value is a String. An empty value of type String is an empty text. The reader ignores Timestamp,
// the types of keys, and columns named `odata.*`.
//
// Spreadsheets treat cells that begin with = + - @ as formulas. If the header has the column
// `odata.formulas`, texts (keys, String, Binary) that begin with one of = + - @ TAB CR LF ' have a ' before
// them, which is not part of the text. Numbers stay unchanged. The cells of that column are empty.
//
// A CSV file does not keep the order of properties of each entity: all entities have the order of the
// columns. Everything else is the same after writing and reading.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "odata/files/entity_file.h"
#include "odata/files/line_stream.h"

namespace rocktable {

struct CsvField {
  std::string text;
  std::size_t offset;  // of its first character, within the record
};

class CsvReader : public EntityReader {
 public:
  // Reads the header. Throws FileError.
  CsvReader(std::istream& in, std::string file);

  std::optional<Entity> next() override;
  FilePlace place() const override { return place_; }
  std::uint64_t bytes_read() const override { return lines_.bytes_read(); }

 private:
  // Indices of the fields within a record.
  struct PropertyColumn {
    std::string name;
    std::size_t value;
    std::optional<std::size_t> type;
  };

  bool read_record();
  void split_record();
  FilePlace place_at(std::size_t offset) const;
  FilePlace place_of(const CsvField& field) const { return place_at(field.offset); }
  [[noreturn]] void refuse(FilePlace place, std::string_view sentence) const { lines_.refuse(place, sentence); }
  void read_header();
  void check_header(const std::unordered_map<std::string, std::size_t>& positions) const;
  std::string text_in(const CsvField& field) const;
  std::optional<Value> value_of(const PropertyColumn& column) const;
  const CsvField* field_of(const std::string& member) const;
  [[noreturn]] void refuse_entity(const EntityKey& key, const Properties& properties) const;

  LineReader lines_;
  std::string record_;            // its lines
  std::vector<CsvField> fields_;  // field_count_ are valid; the others keep their memory
  std::size_t field_count_ = 0;
  std::size_t partition_key_ = 0;
  std::size_t row_key_ = 0;
  bool formulas_are_escaped_ = false;
  std::size_t column_count_ = 0;
  std::vector<PropertyColumn> columns_;
  FilePlace place_;
};

// Collects the names of all properties of a table, in the order first seen, for the columns of its file. This
// needs a pass of its own, because the header comes first.
class PropertyNames {
 public:
  void add(const EntityView& entity);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> known_;
};

class CsvWriter : public EntityWriter {
 public:
  CsvWriter(std::ostream& out, std::string file, EntityWriterOptions options);

  void write(const EntityView& entity) override;
  void flush() override { lines_.flush(); }

 private:
  void write_header();
  void append_text(std::string_view text);
  void append_value(const ValueView& value);

  LineWriter lines_;
  EntityWriterOptions options_;
  std::unordered_map<std::string, std::size_t> positions_;  // of columns
  std::vector<const ValueView*> values_;                    // of the entity being written, by column
};

}  // namespace rocktable
