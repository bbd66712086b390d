// Who pays for what a request and its response hold, and when others wait for it.
#include "server/http/connection_memory.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

constexpr std::size_t kLarge = 1 << 20;

// Budgets of a few MiB.
ClientLimits small() { return {.max_request_memory = 4, .max_answer_memory = 2}; }

TEST_CASE("a small response costs nothing, a large one is charged until the request is over") {
  ConnectionBudgets budgets(small());
  ConnectionMemory memory(budgets);
  CHECK(memory.hold_response(kFreeBytes, true));
  CHECK(budgets.responses.held() == 0);
  CHECK(memory.hold_response(kLarge, true));
  CHECK(budgets.responses.held() == kLarge);
  memory.release();
  CHECK(budgets.responses.held() == 0);
}

TEST_CASE("the response to a change is never refused; another one is, while others hold the memory") {
  ConnectionBudgets budgets(small());
  ConnectionMemory other(budgets), memory(budgets);
  REQUIRE(other.hold_response(2 * kLarge, true));
  CHECK_FALSE(memory.hold_response(kLarge, true));
  CHECK(memory.hold_response(kLarge, false));
  CHECK(budgets.responses.held() == 3 * kLarge);
}

TEST_CASE("a page that has a share may exceed it") {
  ConnectionBudgets budgets(small());
  ConnectionMemory memory(budgets);
  memory.response.charge(2 * kLarge);
  CHECK(memory.hold_response(3 * kLarge, true));
  CHECK(budgets.responses.held() == 3 * kLarge);
}

TEST_CASE("a delayed request pays from a budget of its own, so that others are not held up") {
  ConnectionBudgets budgets(small());
  ConnectionMemory memory(budgets), other(budgets);
  memory.head.charge(kLarge);
  memory.body.charge(kLarge);
  CHECK(memory.hold_apart());
  CHECK(budgets.heads.held() + budgets.bodies.held() == 0);
  CHECK(budgets.delayed.held() == 2 * kLarge);
  other.body.charge(4 * kLarge);
  CHECK_FALSE(other.hold_apart());
  CHECK(budgets.bodies.held() == 4 * kLarge);
  memory.release();
  CHECK(budgets.delayed.held() == 0);
  CHECK(other.hold_apart());
}

TEST_CASE("what holds nothing can always be held apart") {
  ConnectionBudgets budgets(small());
  ConnectionMemory delayed(budgets), memory(budgets);
  delayed.body.charge(4 * kLarge);
  REQUIRE(delayed.hold_apart());
  CHECK(memory.hold_apart());
}

TEST_CASE("others wait for what a connection holds, not for what it does not hold") {
  ConnectionBudgets budgets(small());
  ConnectionMemory memory(budgets), other(budgets);
  other.head.charge(2 * kLarge);
  other.response.charge(2 * kLarge);
  CHECK(other.request_is_short());
  CHECK(other.response_is_short());
  CHECK_FALSE(memory.request_is_short());
  CHECK_FALSE(memory.response_is_short());
}

TEST_CASE("a handshake pays until the connection is secure, and that until it ends") {
  ConnectionBudgets budgets(small());
  {
    ConnectionMemory memory(budgets);
    memory.handshake.charge(kLarge);
    memory.hold_secured();
    CHECK(budgets.handshakes.held() == 0);
    CHECK(budgets.secured.held() > 0);
    memory.release();  // a request
    CHECK(budgets.secured.held() > 0);
  }
  CHECK(budgets.secured.held() == 0);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
