// Types to the JSON bodies of answers, at three metadata levels. Writes straight into the caller's string: no
// tree, no stream.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/buffered_text.h"
#include "odata/entity.h"
#include "odata/error.h"

namespace rocktable {

enum class MetadataLevel { None, Minimal, Full };

// `nometadata`, `minimalmetadata`, `fullmetadata`.
std::string_view to_string(MetadataLevel level);

// What $select asks for. Absent: all properties, and no mention in the context.
struct Selection {
  std::string context;             // the decoded list as sent, spaces as %20: for odata.metadata
  std::vector<std::string> names;  // trimmed; empty: select everything (`$select=` and `*`)
};

// Reads a decoded $select: names between commas, spaces around them trimmed, each once. `*` among them
// selects everything. Names beyond the 255th are dropped.
Selection parse_select(std::string_view text);

// Where the answer's links start, and how much it says.
struct PayloadFormat {
  MetadataLevel level = MetadataLevel::Minimal;
  std::string_view base_url;  // without slash at the end: http://127.0.0.1:10002/devstoreaccount1
  std::string_view account;
  std::string_view table;  // unused in table documents
};

// One entity as a document of its own (`.../$metadata#mytable/@Element`): the answer to a point GET or an
// insert.
//
// Order of members: odata.metadata; odata.type, odata.id (full); odata.etag; odata.editLink (full);
// PartitionKey, RowKey, Timestamp (with its annotation in full); the properties in stored order, each behind
// its `@odata.type` where it has one (Int64, DateTime, Guid, Binary, and a Double that is NaN or infinite; at
// level None no annotation at all). With a selection only the selected ones, in stored order, then each
// selected name that the entity lacks as null.
void write_entity(std::string& out, const PayloadFormat& format, const std::optional<Selection>& select,
                  const EntityView& entity);

// An entity for a request, or a line of a file: PartitionKey, RowKey, the Timestamp where it is wanted, and the properties
// in stored order, each behind its `@odata.type` as above. What read_entity makes of it is the same to the bit, a
// negative zero included, which answers show as 0.0.
void write_entity_body(std::string& out, const EntityView& entity, bool timestamp = false);

// A page of entities: {"odata.metadata":"...","value":[...]}. Write begin, any number of items, end.
class EntitySetWriter {
 public:
  // The referents must outlive the writer; `out` is complete after finish() alone.
  EntitySetWriter(std::string& out, const PayloadFormat& format, const std::optional<Selection>& select);

  void add(const EntityView& entity);
  void finish();

 private:
  BufferedText out_;
  const PayloadFormat& format_;
  const std::optional<Selection>& select_;
  bool first_ = true;
};

// `{"odata.metadata":"<base>/$metadata#Tables/@Element","TableName":"mytable"}` and its forms at the other
// levels.
void write_table(std::string& out, const PayloadFormat& format, std::string_view name);

// A page of tables.
void write_table_set(std::string& out, const PayloadFormat& format, const std::vector<std::string>& names);

// The JSON error document: {"odata.error":{"code":"..","message":{"lang":"en-US","value":".."}}}.
void write_error(std::string& out, std::string_view code, std::string_view message);

// A JSON string literal with its quotes. Escapes `"`, `\` and control characters; all else as it is.
void append_json_string(std::string& out, std::string_view text);

}  // namespace rocktable
