// A call to the table service.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "server/calls/admission.h"
#include "server/calls/call.h"
#include "server/handlers/service_properties.h"
#include "server/request/operation.h"
#include "server/request/request_notes.h"

namespace rocktable {

class TableCall final : public Call {
 public:
  // How the request came. By the owner's door it came through the control API, which has decided that the caller may do
  // what the owner of the account may. It is not counted as a request of the program.
  enum class Door { Service, Owner };

  // `prefix`: by the owner's door, the number of bytes of the target that the service does not see.
  TableCall(TableService& service, const Request& request, Door door = Door::Service, std::size_t prefix = 0);

  Executor executor() const override { return executor_; }
  bool only_reads() const override { return scans_; }
  bool changed_nothing() const override { return scans_ || request_.method == "GET"; }
  Response busy() const override { return admission_.refuse(ServiceException(ErrorCode::ServerBusy)); }
  bool is_refused() const override { return response_.has_value(); }
  Response run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) override;
  RequestEvent event(const Response& response, std::chrono::microseconds duration) const override;

  // --- For what wraps a call

  const Admission& admission() const { return admission_; }
  const Request& request() const { return request_; }
  const RequestStats& reads() const { return stats_; }
  // Null: the request was refused before it was known.
  const Operation* operation() const { return operation_ ? &*operation_ : nullptr; }

  // Returns the response of `step`, as run() would return it: with the headers of every response, and refusals
  // rendered.
  template <class Step>
  Response respond(const Step& step) const {
    return complete(admission_.guard([&]() -> Response { return step(); }));
  }

 private:
  std::optional<Response> accept();
  Response execute(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory);
  Response dispatch(MemoryBudget::Share& memory);
  bool keep_scanning(std::optional<RunningScanCounter>& live, ScanThrottle::Scan& scan,
                     const std::atomic<bool>& hung_up);
  Response complete(Response response) const;
  void add_own_fields(Response& response) const;
  std::uint64_t scanned_in_cloud() const { return notes_.scanned_in_cloud.value_or(stats_.entities_scanned); }
  StatisticsKey statistics_key() const;

  TableService& service_;
  const Door door_;
  const Request& received_;
  const std::unique_ptr<const Request> inner_;  // of the owner: the request without the prefix
  const Request& request_;
  Admission admission_;
  std::optional<Operation> operation_;
  std::optional<Response> response_;  // of refusals and preflights
  Executor executor_;
  bool scans_ = false;  // may visit many entities
  std::string_view plan_class_;
  std::chrono::steady_clock::time_point start_;      // of run()
  std::optional<std::vector<CorsRule>> cors_rules_;  // that the request met
  RequestStats stats_, counted_stats_;
  RequestNotes notes_;
  StatisticsKey key_;
};

}  // namespace rocktable
