#include "server/faults/faulty_call.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/duration.h"
#include "base/text.h"
#include "server/access/authentication_checks.h"
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

std::chrono::microseconds time_at_rate(std::size_t bytes, std::size_t bytes_per_second) {
  return std::chrono::microseconds(bytes * 1'000'000 / bytes_per_second);
}

// Empty: the request is not signed by an account key.
std::string_view signed_date_of(const Request& request) {
  const auto authorization = request.headers.get("Authorization");
  return parse_credentials(authorization) ? date_of(request.headers) : std::string_view();
}

Response nothing() {
  Response out;
  out.status = 0;
  return out;
}

}  // namespace

FaultyCall::FaultyCall(Faults& faults, TableService& service, const Request& request)
    : faults_(faults), call_(service, request) {
  const RequestContext& context = call_.admission().context();
  const std::string& account = context.target.account;
  if (call_.admission().has(Admission::Stage::AccountFound)) behaviour_ = faults_.behaviours.of(account);
  if (!faults_.plan.has_arrivals()) return;
  RequestFacts facts;
  // The text in place of an unknown account is any text: it could fill the counts.
  if (service.authenticator.require_account(account)) facts.account = account;
  facts.method = request.method;
  facts.client_request_id = context.client_request_id;
  facts.signed_date = signed_date_of(request);
  fault_ = faults_.plan.decide_on_arrival(facts, faults_.time.now());
}

std::chrono::microseconds FaultyCall::delay() {
  const Operation* const operation = call_.operation();
  if (operation == nullptr || call_.is_refused()) return {};
  const RequestContext& context = call_.admission().context();
  facts_ = facts_of(context, *operation, *call_.request().body);
  facts_.account = context.target.account;
  facts_.method = call_.request().method;
  facts_.client_request_id = context.client_request_id;
  if (!fault_) fault_ = faults_.plan.decide(facts_, faults_.time.now());
  const auto before = delay_before();
  if (before > before.zero()) {
    RetryLog::Attempt it = attempt();
    it.fault = fault_->rule;
    begun_ = faults_.retries.begin(it, RetryLog::Clock::now());
  }
  return before;
}

// For which the rule holds up the request before it is carried out. The body comes as slowly as the rule says: clients
// see no difference, because the system takes more than most bodies from them at once.
std::chrono::microseconds FaultyCall::delay_before() const {
  if (!fault_) return {};
  const FaultEffect& effect = fault_->effect;
  auto out = effect.at == FaultEffect::At::AfterCommit ? std::chrono::microseconds::zero() : fault_->delay;
  if (effect.request_rate > 0) out += time_at_rate(call_.request().body->size(), effect.request_rate);
  return out;
}

// The client did not wait for a delayed request, and may send it again.
void FaultyCall::give_up() {
  Response none = nothing();
  delivery_of(none).changed_by = fault_->rule;
  record_attempt(none);
}

Response FaultyCall::run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  if (hits(FaultEffect::At::Arrival)) {
    Response response = faulted(nothing());
    // A refused request has not waited: its body may not have come.
    if (call_.is_refused()) delivery_of(response).delay += fault_->delay;
    finish(response);
    return response;
  }
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

// Whether a rule replaces the answer then.
bool FaultyCall::hits(FaultEffect::At at) const {
  return fault_ && fault_->effect.at == at && fault_->effect.kind != FaultEffect::Kind::Keep;
}

// The response that the client gets instead of `answer`.
Response FaultyCall::faulted(Response answer) const {
  const FaultEffect& effect = fault_->effect;
  switch (effect.kind) {
    case FaultEffect::Kind::Handshake:  // it was before
    case FaultEffect::Kind::Keep:
      break;
    case FaultEffect::Kind::Error:
      return call_.respond([&]() -> Response {
        const auto* const batch = std::get_if<Batch>(call_.operation());
        if (batch == nullptr || !fault_->position) throw ServiceException(effect.error);
        return failed_batch(call_.admission().context(), *batch, *call_.request().body, *fault_->position,
                            effect.error);
      });
    case FaultEffect::Kind::Status:
      answer = Response();  // not of the service: none of its headers
      answer.status = effect.status;
      break;
    case FaultEffect::Kind::ClientClock:
      return client_clock_refusal();
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

// As if the client's clock were wrong by so much.
Response FaultyCall::client_clock_refusal() const {
  const FaultEffect& effect = fault_->effect;
  return call_.respond([&]() -> Response {
    throw ServiceException(effect.error, "The fault rule \"" + fault_->rule + "\" takes the client's clock for " +
                                             duration_text(std::abs(effect.clock_offset)) +
                                             (effect.clock_offset > 0 ? " fast." : " slow."));
  });
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
    const FaultEffect& effect = fault_->effect;
    Delivery& delivery = delivery_of(response);
    if (delivery.changed_by.empty()) delivery.changed_by = fault_->rule;
    if (effect.at == FaultEffect::At::AfterCommit) delivery.delay += fault_->delay;
    if (delivery.changed_by == fault_->rule) {
      delivery.bytes_per_second = effect.answer_rate;
      change_fields(effect.headers, response.fields);
    }
  }
  record_attempt(response);
}

RetryLog::Attempt FaultyCall::attempt() const {
  return {.account = facts_.account,
          .method = facts_.method,
          .target = call_.request().target,
          .client_request_id = facts_.client_request_id,
          .body = *call_.request().body};
}

void FaultyCall::record_attempt(const Response& response) const {
  if (facts_.account.empty()) return;  // refused by its head: its body may not have come
  RetryLog::Attempt out = attempt();
  const Delivery* const delivery = response.delivery.get();
  const bool is_answered = delivery == nullptr || delivery->ending == Delivery::Ending::Complete;
  out.status = is_answered ? response.status : 0;
  out.error = is_answered ? response.error : std::nullopt;
  out.is_committed = is_committed_;
  if (delivery != nullptr) {
    out.fault = delivery->changed_by;
    out.keeps_answer = response.status != 0 && fault_ && fault_->effect.kind == FaultEffect::Kind::Keep &&
                       delivery->changed_by == fault_->rule;
    out.delay = delivery->delay;
    if (delivery->bytes_per_second > 0) out.delay += time_at_rate(response.body.size(), delivery->bytes_per_second);
  }
  faults_.retries.record(out, begun_, RetryLog::Clock::now());
}

}  // namespace rocktable
