// Entities from tables or files to tables or files: what export, import and copy have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/change_set.h"
#include "client/connection_string.h"
#include "client/http_client.h"
#include "client/terminal/progress.h"
#include "odata/files/entity_format.h"

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

struct TransferredTable {
  std::string name;
  std::uint64_t entities = 0;  // written (or counted), by attempts before this one as well
};

struct TransferSummary {
  std::vector<TransferredTable> tables;
  std::uint64_t entities = 0;  // by this attempt
  double seconds = 0;          // that it took, without the check
  bool verified = false;
};

// Throws std::runtime_error: a sentence that says what is wrong, what was done so far, and whether the same command goes on
// there.
TransferSummary run_transfer(const TransferOptions& options, Progress& progress);

// What an end is called: an account's address, or a path. Holds no secret.
std::string name_of(const TransferEnd& end);

// Where what is done is recorded, so that the same command goes on after an interruption; empty: nowhere.
std::string state_file_of(const TransferOptions& options);

// Whether the path is of one file, by its ending, rather than of a folder.
bool names_a_file(const std::string& path);

}  // namespace rocktable
