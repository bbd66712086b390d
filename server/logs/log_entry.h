// One record of the service's diagnostic logs, as texts. All formats have the same fields under different names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rocktable {

enum class LogField : std::uint8_t {
  Time,             // when the request was received
  OperationName,    // `QueryEntities`
  Status,           // `Success`, `SASThrottlingError`; since 2017-04-17 also an error code: `ResourceNotFound`
  HttpStatus,       // `200`; `Unknown` if the request was interrupted
  TotalLatency,     // milliseconds, with the time on the network
  ServerLatency,    // milliseconds, without it
  Account,          // `myaccount`
  Service,          // `table`
  ResourceId,       // `/subscriptions/.../storageAccounts/myaccount/tableServices/default`
  Url,              // of the request, absolute, percent-encoded
  ObjectKey,        // `/myaccount/mytable`
  RequestId,        // of Storage Analytics, whose records may be there twice
  OperationNumber,  // from 0: of the operations that one request caused
  ResponseBytes,    // of the body
  Conditions,       // `If-Match=*`, in a list with semicolons
  UserAgent,
  ClientRequestId,
  None,  // another field of a record; the last one
};

class LogEntry {
 public:
  // Empty if the record does not have the field. Views of the reader's memory, valid until it reads on.
  std::string_view operator[](LogField field) const { return texts_[static_cast<std::size_t>(field)]; }

  // Keeps an earlier text. Does nothing for LogField::None.
  void set(LogField field, std::string_view text) {
    std::string_view& place = texts_[static_cast<std::size_t>(field)];
    if (field != LogField::None && place.empty()) place = text;
  }

  void clear() { texts_ = {}; }

 private:
  std::array<std::string_view, static_cast<std::size_t>(LogField::None) + 1> texts_;
};

// The field with this name in resource logs of Azure Monitor (`operationName`) and in rows of StorageTableLogs
// (`OperationName`). The case does not matter.
//
// Sources: learn.microsoft.com/azure/storage/tables/monitor-table-storage-reference and
// learn.microsoft.com/azure/azure-monitor/reference/tables/storagetablelogs
LogField log_field_named(std::string_view name);

}  // namespace rocktable
