#include "server/program/commands.h"

#include "client/commands/healthcheck_command.h"
#include "client/commands/migrate_command.h"
#include "client/commands/reset_command.h"
#include "client/commands/snapshot_command.h"
#include "client/commands/transfer_commands.h"
#include "server/program/exec.h"
#include "server/program/repair_command.h"

namespace rocktable {
namespace {

constexpr Command kCommands[] = {
    {"copy", "--from --to", "Copy tables from one account to another, the service's included", run_copy},
    {"exec", "-- COMMAND", "Run COMMAND with a table service of its own", run_exec},
    {"export", "--to DIR|FILE", "Write tables of any account to files", run_export},
    {"healthcheck", "", "Say whether a running instance serves requests", run_healthcheck},
    {"import", "--from DIR|FILE", "Write files to tables of any account", run_import},
    {"migrate", "up|status|verify|new", "Change tables by numbered files, each applied once",
     migration::run_migrate},
    {"repair", "DIR", "Save what is whole of the damaged store in DIR", run_repair},
    {"reset", "", "Empty a running rocktable, an account of it or a table", run_reset},
    {"snapshot", "ACTION", "Take, restore, list and delete snapshots of a running one", run_snapshot},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace rocktable
