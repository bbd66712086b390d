// Serialization of entity group transactions: writes to the body of POST /$batch, and the response body to a
// result. No I/O.
// Source: learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "client/table_error.h"
#include "odata/entity.h"

namespace rocktable {

// Replace and Merge insert the entity if it does not exist, unless the write has an ETag.
enum class WriteMode { Insert, Replace, Merge, Delete };

// One write, with the entity serialized as it is sent.
struct SerializedEntity {
  EntityKey key;
  std::string body;           // JSON; empty for WriteMode::Delete
  std::string if_match = {};  // an ETag, or empty; without an ETag a deletion is unconditional
};

// Serializes an entity for an unconditional insert, replace or merge.
SerializedEntity serialize_entity(const Entity& entity);

inline constexpr std::size_t kMaxTransactionWrites = 100;
inline constexpr std::size_t kMaxTransactionBytes = 4 << 20;  // size of the whole request body

// Upper bound for the bytes that a write adds to the body of a transaction. `address` as in
// write_transaction().
std::size_t bytes_in_transaction(const SerializedEntity& write, std::string_view address);

// The HTTP method of a write, inside or outside of a transaction.
std::string_view method_of(WriteMode mode);
// The value of If-Match; empty if the header is omitted.
std::string_view if_match_of(WriteMode mode, const SerializedEntity& write);
// The resource in the URL: `mytable` for inserts, else `mytable(PartitionKey='p',RowKey='r')`.
std::string resource_of(WriteMode mode, std::string_view table, const EntityKey& key);

// The Content-Type of the request, and its body. All writes must have the same partition key, and each row
// key must occur once. `address` is the URL of the account's table endpoint, without a trailing slash.
std::string_view transaction_content_type();
std::string write_transaction(std::string_view address, std::string_view table, WriteMode mode,
                              std::span<const SerializedEntity> writes);

// Parses the body of a 202 response to a transaction of `count` writes. A malformed body is an error without
// a code.
TableResult<void> read_transaction_response(std::string_view body, std::size_t count);

// Parses an error response, or the error of one write in a transaction. The body is JSON; errors of the
// service's front end are XML.
TableError read_error(int status, std::string_view body);

}  // namespace rocktable
