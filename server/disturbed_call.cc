// Service::Call for requests that faults or simulated behaviour may change.
#include <algorithm>

#include "server/disturbance.h"
#include "server/handlers/batch.h"
#include "server/handlers/touched_entities.h"
#include "server/request/operation_table.h"
#include "server/service.h"

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
  out.partition.append(facts.account)
      .append(1, '\0')
      .append(to_lower_ascii(facts.table))
      .append(1, '\0')
      .append(first);
  return out;
}

Interference& interfere(Response& response) {
  if (!response.interference) response.interference = std::make_unique<Interference>();
  return *response.interference;
}

bool hits(const std::optional<FaultHit>& fault, FaultEffect::At at) {
  return fault && fault->effect.at == at && fault->effect.kind != FaultEffect::Kind::Delay;
}

}  // namespace

// Call at the end of accept.
void Service::Call::prepare_disturbance() {
  if (kind_ != Kind::Tables || stage_ < Stage::AccountFound) return;
  disturbance_ = std::make_unique<Disturbance>();
  disturbance_->behaviour = service_->behaviours_.of(context_.target.account);
  context_.behaviour = disturbance_->behaviour.get();
}

std::chrono::microseconds Service::Call::meet_faults() {
  if (!operation_ || response_) return {};
  RequestFacts& facts = disturbance_->facts;
  facts = facts_of(context_, *operation_, *request_->body);
  facts.account = context_.target.account;
  facts.method = request_->method;
  facts.client_request_id = context_.client_request_id;
  auto& fault = disturbance_->fault;
  fault = service_->faults_.decide(facts);
  return fault && fault->effect.at == FaultEffect::At::BeforeCommit ? fault->delay
                                                                    : std::chrono::microseconds::zero();
}

Response Service::Call::execute_disturbed(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  Disturbance& disturbance = *disturbance_;
  if (hits(disturbance.fault, FaultEffect::At::BeforeCommit)) {
    Response none;
    none.status = 0;
    return faulted(std::move(none));
  }
  if (!is_admitted()) {
    Response busy = refuse(ServiceException(ErrorCode::ServerBusy));
    if (const auto seconds = disturbance.behaviour->retry_after; seconds > 0)
      busy.add("Retry-After", std::to_string(seconds));
    interfere(busy).name = "throttle";
    return busy;
  }
  Response response = try_to_execute(hung_up, memory);
  charge_reads();
  disturbance.is_committed = row_of(*operation_).is_write && !response.error && response.status < 400;
  if (hits(disturbance.fault, FaultEffect::At::AfterCommit)) return faulted(std::move(response));
  return response;
}

// The response that the client gets instead of `answer`.
Response Service::Call::faulted(Response answer) const {
  const FaultEffect& effect = disturbance_->fault->effect;
  switch (effect.kind) {
    case FaultEffect::Kind::Delay:
      break;
    case FaultEffect::Kind::Error: {
      const auto* const batch = std::get_if<Batch>(&*operation_);
      if (batch == nullptr || !disturbance_->fault->position) return refuse(ServiceException(effect.error));
      return failed_batch(context_, *batch, *request_->body, *disturbance_->fault->position, effect.error);
    }
    case FaultEffect::Kind::Reset:
      interfere(answer).ending = Interference::Ending::Reset;
      break;
    case FaultEffect::Kind::Close:
      interfere(answer).ending = Interference::Ending::Close;
      break;
    case FaultEffect::Kind::Cut:
      interfere(answer).ending = Interference::Ending::Cut;
      interfere(answer).cut_after = effect.cut_after;
      break;
  }
  return answer;
}

bool Service::Call::is_admitted() const {
  const auto& behaviour = disturbance_->behaviour;
  if (!behaviour || !behaviour->throttle) return true;
  const RequestFacts& facts = disturbance_->facts;
  const std::size_t entities = facts.is_batch ? std::max<std::size_t>(facts.entities.size(), 1) : 1;
  return service_->behaviours_.throttle().admit(scope_of(facts), *behaviour->throttle,
                                                static_cast<double>(entities), service_->now());
}

// A query was admitted as if it read one entity.
void Service::Call::charge_reads() const {
  const auto& behaviour = disturbance_->behaviour;
  if (!behaviour || !behaviour->throttle || stats_.entities_scanned <= 1 || row_of(*operation_).is_write)
    return;
  service_->behaviours_.throttle().charge_scan(scope_of(disturbance_->facts), *behaviour->throttle,
                                               static_cast<double>(stats_.entities_scanned - 1),
                                               service_->now());
}

// Delays the response, names its fault, and notes whether the request came again.
void Service::Call::finish_disturbed(Response& response) {
  const auto& [behaviour, facts, fault, is_committed] = *disturbance_;
  if (behaviour && !behaviour->latency.is_none())
    interfere(response).delay += service_->behaviours_.draw_latency(*behaviour);
  if (fault) {
    Interference& interference = interfere(response);
    if (interference.name.empty()) interference.name = fault->rule;
    if (fault->effect.at == FaultEffect::At::AfterCommit) interference.delay += fault->delay;
  }
  record_attempt(response);
}

// The client did not wait for a delayed request, and may send it again.
void Service::Call::give_up() {
  Response none;
  none.status = 0;
  interfere(none).name = disturbance_->fault->rule;
  record_attempt(none);
}

void Service::Call::record_attempt(const Response& response) {
  const auto& [behaviour, facts, fault, is_committed] = *disturbance_;
  if (facts.account.empty()) return;  // refused by its head: its body may not have come
  const Interference* const interference = response.interference.get();
  const bool is_answered = interference == nullptr || interference->ending == Interference::Ending::Complete;
  service_->retries_.record(
      {.account = facts.account,
       .method = facts.method,
       .target = request_->target,
       .client_request_id = facts.client_request_id,
       .body = *request_->body,
       .fault = interference == nullptr ? std::string_view() : interference->name,
       .is_only_delayed = response.status != 0 && fault && fault->effect.kind == FaultEffect::Kind::Delay &&
                          interference->name == fault->rule,
       .status = is_answered ? response.status : 0,
       .error = is_answered ? response.error : std::nullopt,
       .is_committed = is_committed},
      RetryLog::Clock::now());
}

}  // namespace rocktable
