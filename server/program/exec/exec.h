// rocktable exec [options] -- COMMAND ...: runs a command with its own table service. The service is ready
// before the command starts, and stops after the command ends.
//
//   rocktable exec           waits for both, forwards signals
//     |- the server          its own session: signals of the terminal go to the command only
//     `- COMMAND             the process group of `rocktable exec`, and so the job of the terminal
//
// The server is a separate process, so that `rocktable exec` detects and reports its end, even a crash. If
// `rocktable exec` is killed, both end.
#pragma once

namespace rocktable {

// Returns the command's exit code.
int run_exec(int argc, const char* const* argv);

}  // namespace rocktable
