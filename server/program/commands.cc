#include "server/program/commands.h"

#include "server/program/repair.h"

namespace rocktable {
namespace {

constexpr Command kCommands[] = {
    {"repair", "DIR", "Save what is whole of the damaged store in DIR", run_repair},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace rocktable
