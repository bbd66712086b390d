// Queries the terminal of the process.
#pragma once

namespace rocktable {

// Whether a question can be asked: standard input and standard error are terminals.
bool is_interactive();

// Whether standard error is a terminal.
bool is_terminal();

// Whether standard output is a terminal that is to show colours: TERM is not `dumb`, and NO_COLOR is empty
// (no-color.org).
bool output_has_colours();

// The width in characters of the terminal at standard error and at standard output; 80 if unknown. Progress
// uses the former, help pages the latter.
int terminal_columns();
int output_columns();

}  // namespace rocktable
