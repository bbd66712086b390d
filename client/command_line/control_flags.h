// The flags that select a running rocktable and authorize control requests.
#pragma once

#include <string>

#include "client/control/control_client.h"
#include "client/control/control_target.h"

namespace CLI {
class App;
}

namespace rocktable {

// Text for --help: which values CONN can have.
extern const char* const kAboutTargets;

// Adds --connectionString, --url (its former name) and --caFile. Each also has an environment variable, which
// `rocktable exec` sets. Parsing writes to `options`.
void add_target_options(CLI::App& app, ControlTargetOptions& options);

// Adds the target options and --controlToken, whose value may be a reference (client/secret.h). Parsing
// writes to `options`.
void add_control_options(CLI::App& app, ControlClientOptions& options);

// Text for --help: values of CONN, and references to secrets.
std::string control_target_help();

}  // namespace rocktable
