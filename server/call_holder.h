// The call of a connection's current request.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "server/calls/call.h"
#include "server/calls/stub_call.h"
#include "server/calls/table_call.h"
#include "server/control/control_call.h"

namespace rocktable {

// Holds a call in place, because there is one for each request. A wrapped call is on the heap.
class CallHolder {
 public:
  template <class Kind, class... Arguments>
  void emplace(Arguments&&... arguments) {
    call_ = &place_.emplace<Kind>(std::forward<Arguments>(arguments)...);
  }
  void hold(std::unique_ptr<Call> call) { call_ = place_.emplace<std::unique_ptr<Call>>(std::move(call)).get(); }
  void reset() {
    place_.emplace<std::monostate>();
    call_ = nullptr;
  }

  explicit operator bool() const { return call_ != nullptr; }
  Call& operator*() const { return *call_; }
  Call* operator->() const { return call_; }

 private:
  std::variant<std::monostate, TableCall, ControlCall, StubCall, std::unique_ptr<Call>> place_;
  Call* call_ = nullptr;
};

}  // namespace rocktable
