// Memory and descriptors of this process; bytes in memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace rocktable {

// Lets the C library map large blocks one by one, so that they return to the system when they are freed. By default it
// raises its limits with each large block that it frees, until the heap of each thread keeps some.
void keep_heaps_small();

// Returns freed memory to the system: the heaps would keep it.
void return_free_memory();

// Raises the limit of files and sockets to the system's maximum: connections and data files need more than the default
// of shells.
void allow_many_files();

// The number of files and sockets that may be open at the same time.
std::size_t max_open_files();

// As text.rfind(c), by the C library's function for it where there is one: that looks at many bytes at once.
std::size_t find_last(std::string_view text, char c);

}  // namespace rocktable
