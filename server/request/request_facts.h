// What a request is about, for those who choose among requests: the operation, and the entities that it names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

struct TouchedEntity {
  std::string_view operation;  // a constant: `InsertEntity`
  std::string partition_key;
  std::optional<std::string> row_key;  // nullopt: several rows of the partition
};

// The views are valid during the request.
struct RequestFacts {
  std::string_view account;
  std::string table;           // as in the request; empty: none
  std::string_view operation;  // a constant: `QueryEntities`
  std::string_view method;
  std::string_view client_request_id;
  std::string_view signed_date;  // of a signature by an account key; empty: there is none
  bool is_batch = false;
  std::vector<TouchedEntity> entities;  // of a change set: in its order; empty: keys are not limited to a partition
};

}  // namespace rocktable
