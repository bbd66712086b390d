// The standard streams of the process, and the terminal behind them.
#pragma once

#include <cstddef>
#include <string_view>

namespace rocktable {

enum class StandardStream { Input, Output, Error };

bool is_terminal(StandardStream stream);

// The width in characters of the terminal; 80 if it is none.
int columns_of(StandardStream stream);

// What write_if_ready() writes without waiting.
inline constexpr std::size_t kMaxReadyBytes = 4096;

// Writes the first kMaxReadyBytes of a text, or nothing if the reader of a pipe is late or gone. Never waits.
void write_if_ready(StandardStream stream, std::string_view text);

}  // namespace rocktable
