// Moves entities between tables and files: the common part of export, import and copy.
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

// Source or target of a transfer: an account, or files.
struct TransferEndpoint {
  std::optional<TableEndpoint> account;
  std::string path;  // a folder, a file, or `-` for standard input or output
};

struct TransferOptions {
  std::string command;  // name of the command
  TransferEndpoint from, to;
  std::vector<std::string> tables;     // empty: all tables of `from`
  std::string filter;                  // only if the source is an account
  std::optional<EntityFormat> format;  // for files without a known extension; default NDJSON
  WriteMode mode = WriteMode::Replace;
  int connections = 8;
  std::string state_file;        // empty: next to the files; none between two accounts
  bool restart = false;          // ignore the progress of an earlier attempt
  bool escape_formulas = false;  // in the target CSV
  bool dry_run = false, verify = false;
  HttpOptions http;
};

struct TransferredTable {
  std::string name;
  std::uint64_t entities = 0;  // written (or counted), including earlier attempts
};

struct TransferSummary {
  std::vector<TransferredTable> tables;
  std::uint64_t entities = 0;  // by this attempt
  double seconds = 0;          // without verification
  bool verified = false;
};

// Throws std::runtime_error with a sentence: what is wrong, what was done so far, and whether the same
// command can resume.
TransferSummary run_transfer(const TransferOptions& options, Progress& progress);

// Display name: the account's address, or the path. Contains no secret.
std::string name_of(const TransferEndpoint& end);

// The path of the state file; empty if no state is saved.
std::string state_file_of(const TransferOptions& options);

// Whether the path names a file by its extension, rather than a folder.
bool is_file_path(const std::string& path);

}  // namespace rocktable
