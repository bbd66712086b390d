// Records of Azure Monitor as JSON objects: resource logs (StorageRead, StorageWrite, StorageDelete), as they are in a
// storage account and in an event hub, and rows of StorageTableLogs.
//
// Sources: learn.microsoft.com/azure/storage/tables/monitor-table-storage-reference and
// learn.microsoft.com/azure/azure-monitor/reference/tables/storagetablelogs
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/logs/log_entry.h"

namespace rocktable {

class ResourceLogReader {
 public:
  ResourceLogReader();
  ~ResourceLogReader();
  ResourceLogReader(const ResourceLogReader&) = delete;
  ResourceLogReader& operator=(const ResourceLogReader&) = delete;

  // Reads a record into `out`. Its texts are valid until the next call. Returns why the record is broken: "it is not
  // JSON"; empty if it is not.
  std::string read(std::string_view record, LogEntry& out);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace rocktable
