#include "server/faults/faulty_call.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "server/handlers/batch.h"
#include "server/handlers/touched_entities.h"
#include "server/request/operation_table.h"

namespace rocktable {
namespace {

// The buckets that a request is charged to. A request for several partitions has none of its own.
Throttle::Scope scope_of(const RequestFacts& facts) {
  Throttle::Scope out{facts.account, {}};
  if (facts.entities.empty()) return out;
  const std::string& first = facts.entities.front().partition_key;
  const auto is_there = [&](const TouchedEntity& entity) { return entity.partition_key == first; };
  if (!std::all_of(facts.entities.begin(), facts.entities.end(), is_there)) return out;
  // None of the three contains a U+0000.
  out.partition.append(facts.account).append(1, '\0').append(to_lower_ascii(facts.table)).append(1, '\0').append(first);
  return out;
}

Delivery& delivery_of(Response& response) {
  if (!response.delivery) response.delivery = std::make_unique<Delivery>();
  return *response.delivery;
}

Response nothing() {
  Response out;
  out.status = 0;
  return out;
}

}  // namespace

FaultyCall::FaultyCall(Faults& faults, TableService& service, const Request& request)
    : faults_(faults), call_(service, request) {
  if (call_.admission().has(Admission::Stage::AccountFound))
    behaviour_ = faults_.behaviours.of(call_.admission().context().target.account);
}

std::chrono::microseconds FaultyCall::delay() {
  const Operation* const operation = call_.operation();
  if (operation == nullptr || call_.is_refused()) return {};
  const RequestContext& context = call_.admission().context();
  facts_ = facts_of(context, *operation, *call_.request().body);
  facts_.account = context.target.account;
  facts_.method = call_.request().method;
  facts_.client_request_id = context.client_request_id;
  fault_ = faults_.plan.decide(facts_);
  return fault_ && fault_->effect.at == FaultEffect::At::BeforeCommit ? fault_->delay
                                                                      : std::chrono::microseconds::zero();
}

// The client did not wait for a delayed request, and may send it again.
void FaultyCall::give_up() {
  Response none = nothing();
  delivery_of(none).changed_by = fault_->rule;
  record_attempt(none);
}

Response FaultyCall::run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  Response response = call_.is_refused() ? call_.run(hung_up, memory) : execute(hung_up, memory);
  finish(response);
  return response;
}

Response FaultyCall::execute(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  if (hits(FaultEffect::At::BeforeCommit)) return faulted(nothing());
  if (!is_admitted()) return throttled();
  Response response = call_.run(hung_up, memory);
  charge_reads();
  is_committed_ = row_of(*call_.operation()).is_write && !response.error && response.status < 400;
  return hits(FaultEffect::At::AfterCommit) ? faulted(std::move(response)) : std::move(response);
}

// Whether a rule does more than delay the request.
bool FaultyCall::hits(FaultEffect::At at) const {
  return fault_ && fault_->effect.at == at && fault_->effect.kind != FaultEffect::Kind::Delay;
}

// The response that the client gets instead of `answer`.
Response FaultyCall::faulted(Response answer) const {
  const FaultEffect& effect = fault_->effect;
  switch (effect.kind) {
    case FaultEffect::Kind::Delay:
      break;
    case FaultEffect::Kind::Error:
      return call_.respond([&]() -> Response {
        const auto* const batch = std::get_if<Batch>(call_.operation());
        if (batch == nullptr || !fault_->position) throw ServiceException(effect.error);
        return failed_batch(call_.admission().context(), *batch, *call_.request().body, *fault_->position,
                            effect.error);
      });
    case FaultEffect::Kind::Reset:
      delivery_of(answer).ending = Delivery::Ending::Reset;
      break;
    case FaultEffect::Kind::Close:
      delivery_of(answer).ending = Delivery::Ending::Close;
      break;
    case FaultEffect::Kind::Cut:
      delivery_of(answer).ending = Delivery::Ending::Cut;
      delivery_of(answer).cut_after = effect.cut_after;
      break;
  }
  return answer;
}

// --- Throttling -------------------------------------------------------------------------------------------

bool FaultyCall::is_admitted() const {
  if (!behaviour_ || !behaviour_->throttle) return true;
  const std::size_t entities = facts_.is_batch ? std::max<std::size_t>(facts_.entities.size(), 1) : 1;
  return faults_.behaviours.throttle().admit(scope_of(facts_), *behaviour_->throttle, static_cast<double>(entities),
                                             faults_.time.now());
}

Response FaultyCall::throttled() const {
  Response busy = call_.respond([]() -> Response { throw ServiceException(ErrorCode::ServerBusy); });
  if (const auto seconds = behaviour_->retry_after; seconds > 0) busy.add("Retry-After", std::to_string(seconds));
  delivery_of(busy).changed_by = "throttle";
  return busy;
}

// A query was admitted as if it read one entity.
void FaultyCall::charge_reads() const {
  if (!behaviour_ || !behaviour_->throttle || row_of(*call_.operation()).is_write) return;
  const auto scanned = call_.reads().entities_scanned;
  if (scanned <= 1) return;
  faults_.behaviours.throttle().charge_scan(scope_of(facts_), *behaviour_->throttle, static_cast<double>(scanned - 1),
                                            faults_.time.now());
}

// --- The end ----------------------------------------------------------------------------------------------

// Delays the response, names its fault, and notes whether the request came again.
void FaultyCall::finish(Response& response) const {
  if (behaviour_ && !behaviour_->latency.is_none())
    delivery_of(response).delay += faults_.behaviours.draw_latency(*behaviour_);
  if (fault_) {
    Delivery& delivery = delivery_of(response);
    if (delivery.changed_by.empty()) delivery.changed_by = fault_->rule;
    if (fault_->effect.at == FaultEffect::At::AfterCommit) delivery.delay += fault_->delay;
  }
  record_attempt(response);
}

void FaultyCall::record_attempt(const Response& response) const {
  if (facts_.account.empty()) return;  // refused by its head: its body may not have come
  const Delivery* const delivery = response.delivery.get();
  const bool is_answered = delivery == nullptr || delivery->ending == Delivery::Ending::Complete;
  faults_.retries.record(
      {.account = facts_.account,
       .method = facts_.method,
       .target = call_.request().target,
       .client_request_id = facts_.client_request_id,
       .body = *call_.request().body,
       .fault = delivery == nullptr ? std::string_view() : delivery->changed_by,
       .is_only_delayed = response.status != 0 && fault_ && fault_->effect.kind == FaultEffect::Kind::Delay &&
                          delivery->changed_by == fault_->rule,
       .status = is_answered ? response.status : 0,
       .error = is_answered ? response.error : std::nullopt,
       .is_committed = is_committed_},
      RetryLog::Clock::now());
}

}  // namespace rocktable
