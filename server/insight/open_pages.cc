#include "server/insight/open_pages.h"

namespace rocktable {

void OpenPages::open(std::uint64_t page, std::size_t shape) {
  const std::lock_guard lock(mutex_);
  if (!shapes_.try_emplace(page, shape).second) return;
  order_.push_back(page);
  if (order_.size() <= kMaxPages) return;
  shapes_.erase(order_.front());
  order_.pop_front();
}

void OpenPages::close(std::uint64_t page) {
  const std::lock_guard lock(mutex_);
  shapes_.erase(page);
}

std::unordered_map<std::size_t, std::uint64_t> OpenPages::by_shape() const {
  const std::lock_guard lock(mutex_);
  std::unordered_map<std::size_t, std::uint64_t> out;
  for (const auto& [page, shape] : shapes_) ++out[shape];
  return out;
}

void OpenPages::forget(const std::set<std::size_t>& shapes) {
  const std::lock_guard lock(mutex_);
  std::erase_if(shapes_, [&](const auto& page) { return shapes.contains(page.second); });
}

}  // namespace rocktable
