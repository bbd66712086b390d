#include "client/commands/data_report.h"

#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include "client/account_argument.h"
#include "client/retry.h"
#include "client/table_client.h"
#include "client/table_listing.h"
#include "client/terminal/progress.h"
#include "client/terminal/terminal.h"
#include "client/transfer/entity_source.h"

namespace rocktable {
namespace {

bool pause_of_reading(const std::string&, std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
  return true;
}

TableData read_table(TableSource& source, const std::string& table, std::uint64_t sample, Progress* progress) {
  DataLint lint(table);
  std::uint64_t count = 0;
  while (const auto entity = source.next()) {
    if (count == sample) return lint.finish(false);
    lint.add(*entity);
    if (++count % 100 == 0 && progress != nullptr) progress->show(table, count, std::nullopt);
  }
  return lint.finish(true);
}

}  // namespace

std::vector<TableData> read_stored_data(const DataFlags& flags) {
  const TableEndpoint account = resolve_account(flags.connection, "--connectionString");
  HttpOptions http;
  http.certificate_authority_file = flags.authority_file;
  std::vector<std::string> tables = flags.tables;
  if (tables.empty() && !account.table.empty()) tables = {account.table};
  if (tables.empty()) {
    TableClient client(account, http);
    tables = list_all_tables(client, pause_of_reading);
  }
  std::optional<Progress> progress;
  if (is_terminal()) progress.emplace(std::cerr, true);
  std::vector<TableData> out;
  for (const std::string& table : tables) {
    TableSource source(TableClient(account, http), table, "", RetryPolicy{}, pause_of_reading);
    out.push_back(read_table(source, table, flags.sample, progress ? &*progress : nullptr));
  }
  return out;
}

}  // namespace rocktable
