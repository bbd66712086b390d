// Runs the server with the options of the command line, from the start to an orderly shutdown.
#pragma once

#include <filesystem>
#include <functional>

#include "server/program/options/options.h"
#include "server/program/start/startup_report.h"

namespace rocktable {

// The folder of the store in `location`, the folder of --location.
std::filesystem::path store_folder(const std::string& location);

// Calls `on_ready` when clients can connect, serves until a signal, and calls `on_stopped` after everything is
// closed. Creates the folder of --location if its parent exists. Throws std::exception with a message for the
// user if the server cannot start, or if it stops because the store was lost (StoreOptions::give_up).
void serve(const Options& options, const std::function<void(const StartupReport&)>& on_ready,
           const std::function<void(const ShutdownReport&)>& on_stopped = {});

}  // namespace rocktable
