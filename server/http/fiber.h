// A function with a stack of its own, which can wait without holding its thread.
#pragma once

#include <ucontext.h>

#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace rocktable {

// Stays on the thread that made it. Must be over when it is destroyed.
class Fiber {
 public:
  // Does not begin yet. Throws std::bad_alloc if there is no memory for a stack.
  explicit Fiber(std::function<void()> work);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the work until it suspends itself or ends. Throws what it throws. Do not call it in a fiber.
  void resume();

  bool is_over() const { return is_over_; }

  // The fiber that runs on this thread; null: none.
  static Fiber* current();

  // Suspends this fiber, which must be the current one, until resume(). May be called while exceptions are handled.
  void suspend();

 private:
  struct Stack;

  static std::vector<std::unique_ptr<Stack>>& cached_stacks();  // of this thread
  static void begin();
  void enter_stack();
  void leave_stack(bool for_good);
  void note_entered();

  std::function<void()> work_;
  std::unique_ptr<Stack> stack_;
  ucontext_t own_{};
  ucontext_t caller_{};
  std::exception_ptr failure_;
  bool is_over_ = false;

  // Of the sanitizers.
  void* own_fake_stack_ = nullptr;
  const void* caller_stack_ = nullptr;
  std::size_t caller_stack_size_ = 0;
  void* own_fiber_ = nullptr;
  void* caller_fiber_ = nullptr;
};

}  // namespace rocktable
