// The terminal that a command is used at, if it is.
#pragma once

namespace rocktable {

// Whether somebody there reads what stands on standard error, and can answer on standard input.
bool can_be_asked();

// Whether standard error is a terminal.
bool is_terminal();

// How wide it is now, in characters; 80 where it does not say. The same of standard output, for whole pages.
int terminal_columns();
int output_columns();

}  // namespace rocktable
