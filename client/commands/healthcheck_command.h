// rocktable healthcheck: checks whether a running instance serves requests, for images without an HTTP
// client.
#pragma once

namespace rocktable {

// Returns 0 if it does, else 1, and prints one sentence.
int run_healthcheck(int argc, const char* const* argv);

}  // namespace rocktable
