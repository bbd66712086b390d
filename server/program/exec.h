// rocktable exec [options] -- COMMAND ...: a command with a table service of its own, which is there before it starts and
// gone when it has ended.
//
//   rocktable exec           waits for the two others, passes signals on
//     |- the server          a session of its own: what the terminal sends is for the command
//     `- COMMAND             the same process group as `rocktable exec`, and so of the terminal's job
//
// The server is a process of its own so that its end, whatever the cause, is noticed and told; both end where `rocktable
// exec` is killed.
#pragma once

namespace rocktable {

// Returns the command's exit code.
int run_exec(int argc, const char* const* argv);

}  // namespace rocktable
