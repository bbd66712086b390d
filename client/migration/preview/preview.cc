#include "client/migration/preview/preview.h"

#include <algorithm>

namespace rocktable::migration {
namespace {

struct PlannedStep {
  std::size_t migration = 0;  // index of the result
  std::size_t number = 0;
  const Step* step = nullptr;
  StepContext context;
};

std::vector<PlannedStep> plan_of(const std::vector<MigrationPreview>& previews,
                                 const std::vector<MigrationStatus>& waiting) {
  std::vector<PlannedStep> out;
  for (std::size_t i = 0; i < previews.size(); ++i) {
    const Migration& migration = *previews[i].migration;
    const auto first = static_cast<std::size_t>(waiting[i].step);
    for (std::size_t number = first; number < migration.steps.size(); ++number) {
      const int phase = number == first ? waiting[i].phase : 0;
      out.push_back({i, number, &migration.steps[number], {work_table_of(migration.id, number), phase, {}}});
    }
  }
  std::set<std::string> later;
  for (auto one = out.rbegin(); one != out.rend(); ++one) {
    one->context.used_later = later;
    for (const auto& table : tables_of(*one->step)) later.insert(to_lower_ascii(table));
  }
  return out;
}

}  // namespace

std::vector<MigrationPreview> preview_migrations(const TableEndpoint& endpoint, const PreviewOptions& options,
                                                 const std::vector<Migration>& migrations,
                                                 const std::vector<MigrationStatus>& waiting) {
  MigrationClient client(endpoint, options.http, options.on_message);
  SimulatedAccount account(client, options.max_bytes);
  std::vector<MigrationPreview> out;
  for (const auto& status : waiting) {
    const auto found = std::find_if(migrations.begin(), migrations.end(),
                                    [&](const Migration& migration) { return migration.id == status.id; });
    out.push_back({&*found, {}});
  }
  for (const auto& planned : plan_of(out, waiting)) {
    StepPreview step = preview_step(account, client, *planned.step, planned.context);
    step.step = planned.number;
    const bool fails = !step.failure.empty();
    out[planned.migration].steps.push_back(std::move(step));
    if (!fails) continue;
    out.resize(planned.migration + 1);
    break;
  }
  return out;
}

}  // namespace rocktable::migration
