#include "server/behaviour/past_values.h"

#include "base/text.h"

namespace rocktable {

void PastValues::keep(std::string_view account, std::string_view table, std::string value, Period period) {
  const std::lock_guard lock(mutex_);
  Key key(account, to_lower_ascii(table));
  if (values_.size() >= kMaxTables && !values_.contains(key)) values_.erase(values_.begin());
  values_[std::move(key)].push_back({std::move(value), period});
}

std::optional<std::string> PastValues::find(std::string_view account, std::string_view table, DateTime now) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find({std::string(account), to_lower_ascii(table)});
  if (found == values_.end()) return std::nullopt;
  auto& past = found->second;
  const auto applies = [&](const Past& one) { return one.period.begin <= now && now < one.period.end; };
  while (!past.empty() && !applies(past.front())) past.pop_front();
  if (!past.empty()) return past.front().value;
  values_.erase(found);
  return std::nullopt;
}

void PastValues::forget(std::optional<std::string_view> account) {
  const std::lock_guard lock(mutex_);
  std::erase_if(values_, [&](const auto& entry) { return !account || entry.first.first == *account; });
}

}  // namespace rocktable
