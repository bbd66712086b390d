// This process, its variables and machine, and other processes of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocktable {

// Prepares the process for all commands, before anything else: a reader of standard output that leaves does not end it,
// its streams pass bytes unchanged, and its arguments are UTF-8. May replace the arguments; the new ones live until the
// process ends.
void prepare_process(int& argc, char**& argv);

// The names of all variables. Windows ignores their case; then those that this program asks for are in upper case.
std::vector<std::string> environment_names();

std::int64_t process_id();

// Empty if it is unknown.
std::string host_name();

// Whether a process of this machine runs. True if that cannot be found out.
bool is_running(std::int64_t process);

}  // namespace rocktable
