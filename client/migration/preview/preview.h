// What waiting migrations would do, one step after the other, with the tables as earlier steps would leave them.
// Only reads.
#pragma once

#include <vector>

#include "client/migration/migrator.h"
#include "client/migration/preview/step_preview.h"

namespace rocktable::migration {

struct PreviewOptions {
  HttpOptions http;
  std::size_t max_bytes = kPreviewBytes;
  std::function<void(const std::string&)> on_message;  // such as a retry
};

struct MigrationPreview {
  const Migration* migration = nullptr;
  std::vector<StepPreview> steps;  // those that are not done. After one that would fail there are no others
};

// `waiting` has the status of each migration to preview, in the order of their ids. Ends with a migration that
// would fail. Throws std::runtime_error.
std::vector<MigrationPreview> preview_migrations(const TableEndpoint& endpoint, const PreviewOptions& options,
                                                 const std::vector<Migration>& migrations,
                                                 const std::vector<MigrationStatus>& waiting);

}  // namespace rocktable::migration
