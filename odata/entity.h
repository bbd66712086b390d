// Entities: keys, properties, ETags, and the limits that every entity keeps.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "odata/error.h"
#include "odata/value.h"

namespace rocktable {

// Identifies an entity within its table. UTF-8.
struct EntityKey {
  std::string partition_key;
  std::string row_key;

  bool operator==(const EntityKey&) const = default;
};

// A key whose bytes are owned elsewhere.
struct EntityKeyView {
  std::string_view partition_key;
  std::string_view row_key;
};

struct Property {
  std::string name;
  Value value;

  bool operator==(const Property&) const = default;
};

// The user's properties, in wire order. PartitionKey, RowKey and Timestamp are never among them.
using Properties = std::vector<Property>;

struct Entity {
  EntityKey key;
  DateTime timestamp;
  Properties properties;

  bool operator==(const Entity&) const = default;
};

struct PropertyView {
  std::string_view name;
  ValueView value;
};

// An entity whose bytes are owned elsewhere (a record that RocksDB pinned, an Entity).
struct EntityView {
  std::string_view partition_key;
  std::string_view row_key;
  DateTime timestamp;
  std::span<const PropertyView> properties;

  // Returns the value of a property or system property, or nullopt if the entity has no property of that
  // name.
  std::optional<ValueView> find(std::string_view name) const;
};

std::vector<PropertyView> view_of(const Properties& properties);
Properties to_properties(std::span<const PropertyView> views);
Entity to_entity(const EntityView& view);

// --- ETag --------------------------------------------------------------------------------------------------

// An entity's ETag is its timestamp, without zeros at the end of the fraction:
// `W/"datetime'2021-05-26T15%3A48%3A10.6785697Z'"`.
std::string etag_of(DateTime timestamp);
void append_etag(std::string& out, DateTime timestamp);
// Writes to memory that has room for kMaxETagLength characters. Returns the end of what was written.
inline constexpr std::size_t kMaxETagLength = 48;
char* write_etag(char* out, DateTime timestamp);

// Reads an ETag. Percent-encoding is optional. Errors: InvalidInput ("The etag value '{0}' specified in one
// of the request headers is not valid. ...") if the text is not of the form W/"..." without quotes inside;
// ConditionNotMet if the text between the quotes is not datetime'<time>'.
Result<DateTime> parse_etag(std::string_view text);

// Returns the InvalidInput error of parse_etag. Callers also use it for a request with more than one ETag.
Error invalid_etag(std::string_view text);

// --- Limits ------------------------------------------------------------------------------------------------
// Source: learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model

inline constexpr std::size_t kMaxProperties = 252;           // without the three system properties
inline constexpr std::size_t kMaxPropertyNameLength = 255;   // UTF-16 code units
inline constexpr std::size_t kMaxKeyLength = 512;            // UTF-16 code units: 1 KiB
inline constexpr std::size_t kMaxStringLength = 32 * 1024;   // UTF-16 code units: 64 KiB
inline constexpr std::size_t kMaxBinaryBytes = 64 * 1024;    // decoded
inline constexpr std::size_t kMaxEntityBytes = 1024 * 1024;  // as entity_size counts them

// Checks that a key holds none of / \ # ? and no control character (U+0000..U+001F, U+007F..U+009F). Errors:
// OutOfRangeInput.
Result<void> check_key_characters(std::string_view key);

// Checks for the syntax of a C# identifier: a letter or underscore, then letters, digits and underscores.
// Letters outside ASCII are allowed. Errors: PropertyNameTooLong, PropertyNameInvalid.
Result<void> check_property_name(std::string_view name);

// Checks a whole entity in the service's order: number of properties, key characters, size of the entity,
// size of each key and value, range of each date. Errors: TooManyProperties, OutOfRangeInput, EntityTooLarge,
// PropertyValueTooLarge.
Result<void> check_entity(const EntityKey& key, std::span<const PropertyView> properties);
Result<void> check_entity(const EntityKey& key, const Properties& properties);

// Returns the size of an entity in bytes, as the service computes it: 4 + 2 x (length of both keys) + for
// each property 8 + 2 x (length of its name) + the size of its value. A value has 4 + 2 x length (String), 4
// + bytes (Binary), 1 (Boolean), 4 (Int32), 8 (Int64, Double, DateTime) or 16 (Guid). Lengths are in UTF-16
// code units. The service bills storage by the same size.
// Source: learn.microsoft.com/archive/blogs/windowsazurestorage/
// understanding-windows-azure-storage-billing-bandwidth-transactions-and-capacity (Table Entities)
std::size_t entity_size(const EntityKey& key, std::span<const PropertyView> properties);
std::size_t entity_size(const EntityKey& key, const Properties& properties);

// Checks that a table name has 3 to 63 letters and digits and starts with a letter. Errors: OutOfRangeInput
// (length), InvalidResourceName (characters), InvalidInput (the reserved name `tables`).
Result<void> check_table_name(std::string_view name);

}  // namespace rocktable
