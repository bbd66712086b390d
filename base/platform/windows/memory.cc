#include "base/platform/memory.h"

#include <malloc.h>

namespace rocktable {

// The heap of the system gives large blocks back by itself.
void keep_heaps_small() {}

void return_free_memory() { _heapmin(); }

void allow_many_files() {}

// Handles are limited by memory alone; this many connections use as much as one machine wants to give.
std::size_t max_open_files() { return 1 << 16; }

std::size_t find_last(std::string_view text, char c) { return text.rfind(c); }

}  // namespace rocktable
