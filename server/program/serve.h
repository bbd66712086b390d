// The server as the command line asks for it, from the start to its orderly end.
#pragma once

#include <filesystem>
#include <functional>

#include "server/program/options.h"
#include "server/program/startup_report.h"

namespace rocktable {

// The folder of the store in the folder that --location names.
std::filesystem::path store_in(const std::string& location);

// Calls `tell` once clients can connect, serves until a signal ends it, and calls `tell_end` once all is closed. The folder of
// --location is made where the one above it is there. Throws std::exception where it cannot start, or where it ends because
// the store was lost (StoreOptions::give_up), with a sentence for the user.
void serve(const Options& options, const std::function<void(const StartupReport&)>& tell,
           const std::function<void(const ShutdownReport&)>& tell_end = {});

}  // namespace rocktable
