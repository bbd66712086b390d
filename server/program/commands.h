// The commands of the program, which are run in place of a start: rocktable NAME ...
#pragma once

#include <span>

#include "server/program/command.h"

namespace rocktable {

std::span<const Command> commands();

}  // namespace rocktable
