// libFuzzer's entry to the target that FUZZ_TARGET names.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

#ifndef FUZZ_TARGET
#define FUZZ_TARGET fuzz_filter  // for tools that read this file by itself
#endif

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rocktable::FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
