// What a control resource works on, and what it is asked.
#pragma once

#include <functional>
#include <string_view>

#include "server/events/statistics.h"
#include "server/request/target.h"
#include "storage/table_store.h"

namespace rocktable {

// What of the emulator the control surface shows, and changes.
struct ControlState {
  const Statistics& statistics;
  bool stopping;
  TableStore& store;
  std::function<bool(std::string_view account)> serves_account;
  std::function<void()> settings_changed;  // to be called when those of accounts may have
};

struct ControlArguments {
  std::string_view name;  // out of the resource, as it was sent
  const QueryParameters& query;
};

}  // namespace rocktable
