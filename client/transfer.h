// Entities from tables or files to tables or files: what export, import and copy have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/change_set.h"
#include "client/connection_string.h"
#include "client/http_client.h"
#include "client/progress.h"
#include "odata/files/entity_file.h"

namespace rocktable {

// One end of a transfer: an account, or else files.
struct TransferEnd {
  std::optional<TableEndpoint> account;
  std::string path;  // a folder, a file, or `-` for standard input or output
};

struct TransferOptions {
  std::string command;  // its name
  TransferEnd from, to;
  std::vector<std::string> tables;     // empty: all that `from` has
  std::string filter;                  // of a source that is an account
  std::optional<EntityFormat> format;  // of files whose names do not tell; NDJSON by default
  WriteMode mode = WriteMode::Replace;
  int connections = 8;
  std::string state_file;        // empty: beside the data, or none between two accounts
  bool restart = false;          // what an earlier attempt has done does not count
  bool escape_formulas = false;  // in a CSV that is written
  bool dry_run = false, verify = false;
  HttpOptions http;
};

// Throws std::runtime_error: a sentence that says what is wrong and what was done so far.
void run_transfer(const TransferOptions& options, Progress& progress);

// Whether the path is of one file, by its ending, rather than of a folder.
bool names_a_file(const std::string& path);

}  // namespace rocktable
