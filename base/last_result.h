// Remembers the last result of a pure function, for texts that clients repeat: hosts, dates, versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace rocktable {

// Returns Function(text), which must depend only on the text. Calls it only if this thread's last text was another one:
// comparing the texts must cost less. Each function has a memory of its own.
template <auto Function>
std::invoke_result_t<decltype(Function), std::string_view> with_last_result(std::string_view text) {
  using Result = std::invoke_result_t<decltype(Function), std::string_view>;
  thread_local std::string last_text;
  thread_local std::optional<Result> last_result;
  if (!last_result || last_text != text) {
    last_result.reset();  // stays empty if the function throws
    last_text = text;
    last_result = Function(text);
  }
  return *last_result;
}

}  // namespace rocktable
