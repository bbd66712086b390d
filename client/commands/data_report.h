// What stored entities of an account show: sizes of tables, and findings of client/report/data_lint.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/report/data_lint.h"

namespace rocktable {

struct DataFlags {
  static constexpr std::uint64_t kUsualSample = 100'000;

  std::string connection;  // as resolve_account() takes it; empty: from the environment
  std::string authority_file;
  std::vector<std::string> tables;      // empty: all
  std::uint64_t sample = kUsualSample;  // entities that are read of each table, from its beginning
};

// Reads the tables one after the other, and shows progress on standard error at a terminal. Throws UsageError if there
// is no account, and std::runtime_error or HttpError if a table cannot be read.
std::vector<TableData> read_stored_data(const DataFlags& flags);

}  // namespace rocktable
