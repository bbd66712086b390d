// rocktable healthcheck: whether a running instance serves requests, for images without an HTTP client.
#pragma once

namespace rocktable {

// Returns 0 where it does, else 1; one sentence either way.
int run_healthcheck(int argc, const char* const* argv);

}  // namespace rocktable
