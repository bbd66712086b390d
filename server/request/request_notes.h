// What a handler notes about its request, for those who observe requests (server/events/request_event.h).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "odata/entity.h"
#include "storage/mutation.h"

namespace rocktable {

struct RequestNotes {
  std::string table;                                   // if it is not in the URL: of a change set, or of CreateTable
  std::string partition_key;                           // of the writes
  boost::container::small_vector<Mutation, 1> writes;  // that were committed
  std::optional<EntityKey> next;                       // where the next page of a query begins
  std::optional<std::uint64_t> scanned_in_cloud;       // an estimate; nullopt: as many entities as here
};

}  // namespace rocktable
