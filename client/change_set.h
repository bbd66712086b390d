// Entity group transactions as a client sees them: writes to the body of POST /$batch, its answer to an outcome. Pure.
// Source: learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "client/table_error.h"
#include "odata/entity.h"

namespace rocktable {

// Replace and Merge insert what is not there, unless an ETag is asked for.
enum class WriteMode { Insert, Replace, Merge, Delete };

// An entity on its way to a table: its body as it is sent.
struct SerializedEntity {
  EntityKey key;
  std::string body;           // JSON; empty for a deletion
  std::string if_match = {};  // an ETag, or empty; a deletion without one deletes whatever is there
};

// As it is inserted, replaced or merged, whatever is there.
SerializedEntity serialize_entity(const Entity& entity);

inline constexpr std::size_t kMaxTransactionWrites = 100;
inline constexpr std::size_t kMaxTransactionBytes = 4 << 20;  // of the whole body

// What a write adds to the body of a transaction at most, with `address` as below.
std::size_t bytes_in_transaction(const SerializedEntity& write, std::string_view address);

// How a single write is sent, alone or within a transaction.
std::string_view method_of(WriteMode mode);
// The value of If-Match; empty: there is none.
std::string_view if_match_of(WriteMode mode, const SerializedEntity& write);
// `mytable`, or `mytable(PartitionKey='p',RowKey='r')`
std::string resource_of(WriteMode mode, std::string_view table, const EntityKey& key);

// The value of the outer Content-Type, and the body. All writes are of one partition, no key twice. `address` is the
// endpoint, without slash at its end.
std::string_view transaction_content_type();
std::string write_transaction(std::string_view address, std::string_view table, WriteMode mode,
                              std::span<const SerializedEntity> writes);

// What the body of a 202 says about `count` writes. An answer that is none is an error without a code.
TableResult<void> read_transaction_answer(std::string_view body, std::size_t count);

// An answer that is an error, whole or within a transaction: JSON, or XML as the front end writes it.
TableError read_error(int status, std::string_view body);

}  // namespace rocktable
