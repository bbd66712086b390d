#include "client/terminal/interruption.h"

#include "base/printable.h"
#include "client/terminal/terminal.h"

namespace rocktable {

// Erases the progress bar and the `^C` that the terminal echoes.
InterruptionNotice::InterruptionNotice(const std::string& sentence)
    : text_((is_terminal() ? "\r\x1B[K" : "") + ("rocktable: " + printable(sentence)) + "\n") {}

}  // namespace rocktable
