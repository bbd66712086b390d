// rocktable token: prints a token of a local identity, for curl and other tools.
#pragma once

namespace rocktable {

int run_token(int argc, const char* const* argv);

}  // namespace rocktable
