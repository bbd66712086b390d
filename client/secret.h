// Reads secrets that a command line passes by reference (a file or a variable), because all users of a
// machine can list command lines.
#pragma once

#include <string>

namespace rocktable {

// Text for --help.
extern const char* const kAboutSecrets;

// Returns the secret that `given` stands for:
//
//   @FILE      the contents of the file, without trailing line breaks
//   env:NAME   the value of the environment variable
//   otherwise  `given` itself
//
// A secret that starts with `@` or `env:` must be passed in a file or a variable. Throws std::runtime_error
// with `flag` and the file or variable if it cannot be read or is empty.
std::string read_secret(const std::string& given, const std::string& flag);

// Whether `given` is a reference to a secret: @FILE or env:NAME.
bool is_secret_reference(const std::string& given);

}  // namespace rocktable
