#include "base/platform/memory.h"

#include <malloc.h>
#include <string.h>  // memrchr
#include <sys/resource.h>

namespace rocktable {

void keep_heaps_small() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

void return_free_memory() { malloc_trim(0); }

void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t max_open_files() {
  constexpr std::size_t kUsual = 1024;
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) != 0 ? kUsual : limit.rlim_cur;
}

std::size_t find_last(std::string_view text, char c) {
  if (text.empty()) return text.npos;  // memrchr() takes no null pointer
  const void* const found = memrchr(text.data(), c, text.size());
  return found == nullptr ? text.npos : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace rocktable
