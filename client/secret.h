// Secrets on a command line, which everybody can read who lists processes: so a value may say where the secret is.
#pragma once

#include <string>

namespace rocktable {

// For --help.
extern const char* const kAboutSecrets;

// The secret that is given as
//
//   @FILE      what the file holds, without line breaks at its end
//   env:NAME   what the variable of the environment holds
//   otherwise  the value itself
//
// so a secret that begins with @ or env: is given in a file or a variable. `flag` is whose value it is. Throws
// std::runtime_error, with a sentence that names flag and file or variable: it cannot be read, or holds nothing.
std::string read_secret(const std::string& given, const std::string& flag);

// Whether `given` says where the secret is.
bool is_secret_elsewhere(const std::string& given);

}  // namespace rocktable
