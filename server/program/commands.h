// The table of the commands of the program: rocktable NAME ... They run instead of the server.
#pragma once

#include <span>

#include "server/program/command.h"

namespace rocktable {

std::span<const Command> commands();

}  // namespace rocktable
