#include "server/program/commands.h"

#include "client/commands/behave_command.h"
#include "client/commands/faults_command.h"
#include "client/commands/healthcheck_command.h"
#include "client/commands/migrate_command.h"
#include "client/commands/reset_command.h"
#include "client/commands/sas_command.h"
#include "client/commands/snapshot_command.h"
#include "client/commands/token_command.h"
#include "client/commands/transfer_commands.h"
#include "server/program/exec/exec.h"
#include "server/program/open_command.h"
#include "server/program/repair_command.h"
#include "server/program/report_from_logs.h"
#include "server/program/store_command.h"

namespace rocktable {
namespace {

constexpr Command kCommands[] = {
    {"behave", "[LIST]", "Behave as the service can: throttle, short pages", run_behave},
    {"copy", "--from --to", "Copy tables between accounts, cloud included", run_copy},
    {"exec", "-- COMMAND", "Run COMMAND with its own table service", run_exec},
    {"export", "--to DIR|FILE", "Write tables of any account to files", run_export},
    {"faults", "add|list|clear|outage|retries", "Make requests fail, as tests want", run_faults},
    {"healthcheck", "", "Check whether an instance serves requests", run_healthcheck},
    {"import", "--from DIR|FILE", "Write files to tables of any account", run_import},
    {"migrate", "up|abort|status|verify|new", "Apply numbered files to tables, each once", migration::run_migrate},
    {"open", "", "Show tables and requests in the browser", run_open},
    {"repair", "DIR", "Save undamaged data of the store in DIR", run_repair},
    {"report", "", "Show what requests scan, and better queries", run_report_from_logs},
    {"reset", "", "Delete all data, an account or a table", run_reset},
    {"sas", "table|account|user", "Make a shared access signature", run_sas},
    {"snapshot", "ACTION", "Take, restore, list or delete snapshots", run_snapshot},
    {"store", "schema", "Show the tables of --store in a database", run_store},
    {"token", "[--as NAME]", "Print a bearer token of a local identity", run_token},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace rocktable
