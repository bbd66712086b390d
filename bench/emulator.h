// The emulator as a process of its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace rocktable {

// Keeps this process, and those that it starts from now on, on one core; without that, the time that an idle core of a
// virtual machine takes to wake up hides everything. `false` lifts it.
void stay_on_one_core(bool one_core);

class Emulator {
 public:
  // Starts `program` on the store in `folder` and waits until it answers. Throws std::runtime_error.
  Emulator(const std::filesystem::path& program, const std::filesystem::path& folder);
  // Ends it in order.
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  std::uint16_t port() const { return port_; }

  // Memory in KiB: resident now, and the most it was since the last reset_peak().
  long resident() const;
  long peak() const;
  void reset_peak() const;

 private:
  pid_t process_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace rocktable
