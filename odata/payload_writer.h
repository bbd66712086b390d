// Writes the JSON bodies of responses, at three metadata levels. Appends to the caller's string directly,
// without a tree or stream.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffered_text.h"
#include "odata/entity.h"
#include "odata/error.h"

namespace rocktable {

enum class MetadataLevel { None, Minimal, Full };

// `nometadata`, `minimalmetadata`, `fullmetadata`.
std::string_view to_string(MetadataLevel level);

// The properties that $select names. Without a Selection, a response has all properties, and its context no
// $select.
struct Selection {
  std::string context;             // the decoded list as sent, spaces as %20: for odata.metadata
  std::vector<std::string> names;  // trimmed; empty selects everything (`$select=` and `*`)
};

// Reads a decoded $select: names between commas, trimmed, duplicates removed. `*` selects everything. Drops
// names beyond the 255th.
//
// Errors: identifier_expected() (odata/syntax_error.h) for an item that does not begin like a name.
Result<Selection> parse_select(std::string_view text);

// The parts of links, and the metadata level.
struct PayloadFormat {
  MetadataLevel level = MetadataLevel::Minimal;
  std::string_view base_url;  // without trailing slash: http://127.0.0.1:10002/devstoreaccount1
  std::string_view account;
  std::string_view table;  // not used for table documents
};

// Writes one entity as a document of its own (`.../$metadata#mytable/@Element`), the response to a GET of one
// entity or to an insert.
//
// Order of members: odata.metadata; odata.type, odata.id (full); odata.etag; odata.editLink (full);
// PartitionKey, RowKey, Timestamp (with its annotation in full); then the properties in stored order. The
// annotation `@odata.type` precedes a property of type Int64, DateTime, Guid or Binary, and a Double that is
// NaN or infinite; at level None there are no annotations. With a selection, writes only the selected
// properties, in stored order, then null for each selected name that the entity does not have.
void write_entity(std::string& out, const PayloadFormat& format, const std::optional<Selection>& select,
                  const EntityView& entity);

// Writes an entity for a request, or for a line of a file: PartitionKey, RowKey, Timestamp if requested, and
// the properties in stored order, with annotations as above. read_entity reads the same values to the bit.
// This includes negative zero, which responses show as 0.0.
void write_entity_body(std::string& out, const EntityView& entity, bool timestamp = false);

// Writes a page of entities: {"odata.metadata":"...","value":[...]}. Call add() for each entity, then
// finish().
class EntitySetWriter {
 public:
  // The arguments must outlive the writer. `out` is complete only after finish().
  EntitySetWriter(std::string& out, const PayloadFormat& format, const std::optional<Selection>& select);

  void add(const EntityView& entity);
  void finish();

 private:
  BufferedText out_;
  const PayloadFormat& format_;
  const std::optional<Selection>& select_;
  bool first_ = true;
};

// Writes `{"odata.metadata":"<base>/$metadata#Tables/@Element","TableName":"mytable"}`, or its form at
// another level.
void write_table(std::string& out, const PayloadFormat& format, std::string_view name);

// Writes a page of tables.
void write_table_set(std::string& out, const PayloadFormat& format, const std::vector<std::string>& names);

// Writes the JSON error document: {"odata.error":{"code":"..","message":{"lang":"en-US","value":".."}}}.
void write_error(std::string& out, std::string_view code, std::string_view message);

// Appends a JSON string literal with its quotes. Escapes `"`, `\` and control characters; copies all other
// text.
void append_json_string(std::string& out, std::string_view text);

}  // namespace rocktable
