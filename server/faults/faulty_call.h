// A call to the table service that a fault rule or a simulated behaviour may change.
#pragma once

#include <memory>
#include <optional>

#include "server/behaviour/behaviour.h"
#include "server/calls/table_call.h"
#include "server/faults/faults.h"
#include "server/request/request_facts.h"

namespace rocktable {

// In this order: a rule for the arrival of requests decides by the head, another one once the request is complete; the
// rate of the account and the partition is limited; the operation runs, unless the rule is for the time before; the
// rule replaces the answer; the answer is delayed. The retry log keeps what the client got.
class FaultyCall final : public Call {
 public:
  FaultyCall(Faults& faults, TableService& service, const Request& request);

  // It may wait for long, and holds a thread of its own meanwhile.
  Executor executor() const override {
    const Executor executor = call_.executor();
    return executor == Executor::Database ? Executor::Partition : executor;
  }
  bool only_reads() const override { return call_.only_reads(); }
  bool changed_nothing() const override { return call_.changed_nothing(); }
  Response busy() const override { return call_.busy(); }
  bool is_refused() const override { return call_.is_refused(); }
  std::chrono::microseconds delay() override;
  void give_up() override;
  Response run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) override;
  RequestEvent event(const Response& response, std::chrono::microseconds duration) const override {
    return call_.event(response, duration);
  }

 private:
  Response execute(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory);
  Response faulted(Response answer) const;
  bool hits(FaultEffect::At at) const;
  bool is_admitted() const;
  Response throttled() const;
  void charge_reads() const;
  void finish(Response& response) const;
  std::chrono::microseconds delay_before() const;
  Response client_clock_refusal() const;
  RetryLog::Attempt attempt() const;
  void record_attempt(const Response& response) const;

  Faults& faults_;
  TableCall call_;
  std::shared_ptr<const Behaviour> behaviour_;  // of the account; null: everything is off
  RequestFacts facts_;
  std::optional<FaultHit> fault_;
  RetryLog::Ticket begun_;     // of an attempt that is delayed before it runs
  bool is_committed_ = false;  // the request has written
};

}  // namespace rocktable
