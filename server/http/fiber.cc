#include "server/http/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>
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

constexpr std::size_t kStackBytes = 1 << 20;  // of address space; the pages that are used take memory
constexpr std::size_t kMostCachedStacks = 32;

thread_local Fiber* running_fiber = nullptr;

// What the C++ runtime knows of the exceptions of a thread (Itanium C++ ABI, 2.2.2). Each fiber has its own.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

ExceptionState& exception_state() { return *reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals()); }

}  // namespace

// Below it is a page that must not be touched, so that an overflow ends the process.
struct Fiber::Stack {
  Stack() : page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    memory = mmap(nullptr, page + kStackBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, page, PROT_NONE);
  }
  ~Stack() { munmap(memory, page + kStackBytes); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  void* bottom() const { return static_cast<char*>(memory) + page; }

  std::size_t page;
  void* memory;
};

std::vector<std::unique_ptr<Fiber::Stack>>& Fiber::cached_stacks() {
  thread_local std::vector<std::unique_ptr<Stack>> stacks;
  return stacks;
}

Fiber::Fiber(std::function<void()> work) : work_(std::move(work)) {
  auto& cached = cached_stacks();
  if (cached.empty()) {
    stack_ = std::make_unique<Stack>();
  } else {
    stack_ = std::move(cached.back());
    cached.pop_back();
  }
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_->bottom();
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = nullptr;
  makecontext(&own_, &Fiber::begin, 0);
#ifdef __SANITIZE_THREAD__
  own_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef __SANITIZE_THREAD__
  __tsan_destroy_fiber(own_fiber_);
#endif
  auto& cached = cached_stacks();
  if (cached.size() < kMostCachedStacks) cached.push_back(std::move(stack_));
}

Fiber* Fiber::current() { return running_fiber; }

void Fiber::resume() {
  running_fiber = this;
  const ExceptionState callers = std::exchange(exception_state(), {});
  enter_stack();
  exception_state() = callers;
  running_fiber = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Fiber::suspend() {
  const ExceptionState own = exception_state();
  leave_stack(false);
  exception_state() = own;
}

void Fiber::begin() {
  Fiber& self = *running_fiber;
  self.note_entered();
  try {
    self.work_();
  } catch (...) {
    self.failure_ = std::current_exception();
  }
  self.is_over_ = true;
  self.leave_stack(true);
}

// --- Switching, with what the sanitizers must know of it ----------------------------------------------------

void Fiber::enter_stack() {
#ifdef __SANITIZE_ADDRESS__
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_->bottom(), kStackBytes);
#endif
#ifdef __SANITIZE_THREAD__
  caller_fiber_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(own_fiber_, 0);
#endif
  swapcontext(&caller_, &own_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void Fiber::leave_stack([[maybe_unused]] bool for_good) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(for_good ? nullptr : &own_fake_stack_, caller_stack_, caller_stack_size_);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(caller_fiber_, 0);
#endif
  swapcontext(&own_, &caller_);
  note_entered();
}

void Fiber::note_entered() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(own_fake_stack_, &caller_stack_, &caller_stack_size_);
#endif
}

}  // namespace rocktable
