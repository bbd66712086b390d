#include "server/program/commands.h"

#include "server/program/exec.h"
#include "server/program/repair.h"

namespace rocktable {
namespace {

constexpr Command kCommands[] = {
    {"exec", "-- COMMAND", "Run COMMAND with a table service of its own", run_exec},
    {"repair", "DIR", "Save what is whole of the damaged store in DIR", run_repair},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace rocktable
