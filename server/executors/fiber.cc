#include "server/executors/fiber.h"

#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cassert>
#include <memory>
#include <utility>

#if defined(__has_feature)  // Clang; GCC defines the names by itself
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace rocktable {
namespace {

namespace context = boost::context;

// Of address space; the pages that are used take memory. Below it is a page that must not be touched, so that an
// overflow ends the process.
constexpr std::size_t kStackBytes = 1 << 20;

thread_local Fiber* running_fiber = nullptr;

}  // namespace

// --- Switching, with what the sanitizers must know of it ----------------------------------------------------
//
// ThreadSanitizer counts the functions that are entered and left, for each fiber. So no function may be entered on one
// and left on another: these are parts of those that switch, and a fiber that is over does not return.
[[gnu::always_inline]] inline void Fiber::enter_stack() {
#ifdef __SANITIZE_ADDRESS__
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, static_cast<char*>(stack_.sp) - stack_.size, stack_.size);
#endif
#ifdef __SANITIZE_THREAD__
  caller_fiber_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(own_fiber_, 0);
#endif
  own_ = std::move(own_).resume();
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

[[gnu::always_inline]] inline void Fiber::prepare_to_leave([[maybe_unused]] bool for_good) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(for_good ? nullptr : &own_fake_stack_, caller_stack_, caller_stack_size_);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(caller_fiber_, 0);
#endif
}

[[gnu::always_inline]] inline void Fiber::note_entered() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(own_fake_stack_, &caller_stack_, &caller_stack_size_);
#endif
}

// --- The fiber -----------------------------------------------------------------------------------------------

Fiber::Fiber(std::function<void()> work) : work_(std::move(work)) {
  context::protected_fixedsize_stack stacks(kStackBytes);
  stack_ = stacks.allocate();
  own_ = context::fiber(std::allocator_arg, context::preallocated(stack_.sp, stack_.size, stack_), stacks,
                        [this](context::fiber&& caller) { return run(std::move(caller)); });
#ifdef __SANITIZE_THREAD__
  own_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef __SANITIZE_THREAD__
  caller_fiber_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(own_fiber_, 0);
  own_ = {};  // unwinds what is left on the stack
  __tsan_switch_to_fiber(caller_fiber_, 0);
  __tsan_destroy_fiber(own_fiber_);
#endif
}

Fiber* Fiber::current() { return running_fiber; }

void Fiber::resume() {
  running_fiber = this;
  enter_stack();
  running_fiber = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Fiber::suspend() {
  assert(std::uncaught_exceptions() == 0 && std::current_exception() == nullptr);
  prepare_to_leave(false);
  caller_ = std::move(caller_).resume();
  note_entered();
}

context::fiber Fiber::run(context::fiber caller) {
  caller_ = std::move(caller);
  note_entered();
  try {
    work_();
  } catch (const context::detail::forced_unwind&) {  // it is destroyed before it is over
    throw;
  } catch (...) {
    failure_ = std::current_exception();
  }
  is_over_ = true;
  prepare_to_leave(true);
#ifdef __SANITIZE_THREAD__
  caller_ = std::move(caller_).resume();  // for ever: the destructor unwinds
#endif
  return std::move(caller_);
}

}  // namespace rocktable
