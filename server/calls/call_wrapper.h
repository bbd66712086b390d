// What may change calls to the table service, by a call around each.
#pragma once

#include <memory>

#include "server/calls/call.h"
#include "server/calls/table_service.h"

namespace rocktable {

// Thread-safe.
class CallWrapper {
 public:
  virtual ~CallWrapper() = default;

  // Returns whether there is anything to change. If not, calls run as they are.
  virtual bool is_on() const = 0;

  // Returns a call to the table service, accepted as TableCall does, in a call around it.
  virtual std::unique_ptr<Call> accept(TableService& service, const Request& request) = 0;
};

}  // namespace rocktable
