#include "client/table_listing.h"

#include <stdexcept>

#include "client/continuation_guard.h"

namespace rocktable {

std::vector<std::string> list_all_tables(TableClient& client, const Pause& pause) {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error("the tables of " + client.endpoint().address() + " cannot be listed: " + why);
  };
  std::vector<std::string> names;
  RetryPolicy policy;
  ContinuationGuard guard;
  std::string next;
  do {
    const auto page = with_retries(policy, pause, [&](int) { return client.list_tables(next); });
    if (!page) refuse(page.error().sentence());
    names.insert(names.end(), page->names.begin(), page->names.end());
    next = page->next;
    if (const auto fault = guard.fault(next, page->names.size()); !next.empty() && !fault.empty()) refuse(fault);
    policy.reached_before = true;
  } while (!next.empty());
  return names;
}

}  // namespace rocktable
