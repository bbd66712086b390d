// The entry point of libFuzzer. Calls the target in FUZZ_TARGET.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

#ifndef FUZZ_TARGET
#define FUZZ_TARGET fuzz_filter  // for tools that read only this file
#endif

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer requires this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rocktable::FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
