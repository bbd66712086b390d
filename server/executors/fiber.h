// A function with a stack of its own, which can wait without holding its thread.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <exception>
#include <functional>

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

  // Suspends this fiber, which must be the current one, until resume(). No exception may be thrown or handled
  // meanwhile: the C++ runtime keeps the exceptions of a thread, not of a fiber.
  void suspend();

 private:
  boost::context::fiber run(boost::context::fiber caller);
  void enter_stack();
  void prepare_to_leave(bool for_good);
  void note_entered();

  std::function<void()> work_;
  boost::context::stack_context stack_;
  boost::context::fiber own_;     // while it is suspended
  boost::context::fiber caller_;  // while it runs
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
