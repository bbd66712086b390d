#include "server/http/connection_memory.h"

namespace rocktable {
namespace {

constexpr std::size_t kHandshakeMemory = 64 << 20;  // for 680 handshakes of TLS at the same time
constexpr std::size_t kSecuredMemory = 256 << 20;   // for 3,500 connections after them
constexpr std::size_t kSecuredBytes = 75 << 10;     // measured: of one, also while it is idle

std::size_t bytes_of(int mebibytes) { return static_cast<std::size_t>(mebibytes) << 20; }

bool is_short(const MemoryBudget::Share& share, const MemoryBudget& budget) {
  return share.is_held() && budget.is_short();
}

}  // namespace

ConnectionBudgets::ConnectionBudgets(const ClientLimits& limits)
    : heads(bytes_of(limits.max_request_memory) / 2),
      bodies(bytes_of(limits.max_request_memory) / 2),
      responses(bytes_of(limits.max_answer_memory)),
      delayed(bytes_of(limits.max_request_memory)),
      handshakes(kHandshakeMemory, MemoryBudget::Order::NewestFirst),
      secured(kSecuredMemory) {}

bool ConnectionMemory::hold_response(std::size_t bytes, bool changed_nothing) {
  if (bytes <= kFreeBytes) {
    response.release();
    return true;
  }
  if (!response.is_held() && changed_nothing) return response.take(bytes);
  response.charge(bytes);
  return true;
}

bool ConnectionMemory::hold_apart() {
  const std::size_t bytes = head.bytes() + body.bytes() + response.bytes();
  if (bytes == 0) return true;
  if (!delayed_.grow(delayed_.bytes() + bytes)) return false;
  for (Share* const share : {&head, &body, &response}) share->release();
  return true;
}

void ConnectionMemory::hold_secured() {
  handshake.release();
  secured_.charge(kSecuredBytes);
}

void ConnectionMemory::release() {
  for (Share* const share : {&response, &body, &head, &delayed_}) share->release();
}

bool ConnectionMemory::request_is_short() const {
  return is_short(head, budgets_.heads) || is_short(body, budgets_.bodies) || is_short(handshake, budgets_.handshakes);
}

bool ConnectionMemory::response_is_short() const { return is_short(response, budgets_.responses); }

bool ConnectionMemory::secured_is_short() const { return is_short(secured_, budgets_.secured); }

}  // namespace rocktable
