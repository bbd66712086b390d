#include "server/program/commands.h"

#include "client/reset_command.h"
#include "client/snapshot_command.h"
#include "server/program/exec.h"
#include "server/program/repair.h"

namespace rocktable {
namespace {

constexpr Command kCommands[] = {
    {"exec", "-- COMMAND", "Run COMMAND with a table service of its own", run_exec},
    {"repair", "DIR", "Save what is whole of the damaged store in DIR", run_repair},
    {"reset", "", "Empty a running rocktable, an account of it or a table", run_reset},
    {"snapshot", "ACTION", "Take, restore, list and delete snapshots of a running one", run_snapshot},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace rocktable
