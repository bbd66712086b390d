// The flags that name a running rocktable, and show that a command may control it.
#pragma once

#include <string>

#include "client/control/control_client.h"
#include "client/control/control_target.h"

namespace CLI {
class App;
}

namespace rocktable {

// For --help: what stands for CONN.
extern const char* const kAboutTargets;

// --connectionString, --url (its former name) and --caFile, each of them also from the environment, as `rocktable exec` sets
// it. Writes to `options` while the app parses.
void add_target_options(CLI::App& app, TargetOptions& options);

// The options of the target and --controlToken, which may say where the value is (secret.h). Writes to `options` while the app
// parses.
void add_control_options(CLI::App& app, ControlClientOptions& options);

// For --help: what stands for CONN, and for secrets.
std::string about_control_targets();

}  // namespace rocktable
