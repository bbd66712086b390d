// A request on its way through the server: accepted (parsed, authenticated, planned), then run, then reported.
#pragma once

#include <atomic>
#include <chrono>

#include "server/events/request_event.h"
#include "server/limits/memory_budget.h"
#include "server/request/response.h"

namespace rocktable {

// The threads that run a call. Calls of one executor never wait for the threads of another.
enum class Executor {
  Connection,  // the connection's own thread: work of microseconds
  Control,     // control calls that go through the store
  Partition,   // queries within named partitions, and writes that wait for the disk
  Table,       // queries over many partitions, which may take seconds
  Database,    // work of microseconds, and waits for the database: the connection's own thread, which runs other calls
               // meanwhile (executors/fiber_executor.h)
};

// A call is accepted by its constructor, which reads no entity, and not the body of the request, which may not have
// arrived yet. It holds views of the request, which must outlive it. No function throws.
class Call {
 public:
  Call() = default;
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  virtual Executor executor() const { return Executor::Connection; }

  // Returns whether run() changes nothing, so that it need not run if the client has hung up.
  virtual bool only_reads() const { return false; }

  // Returns whether run() has changed nothing that a client can ask for, so that it may get busy() in place of the
  // response.
  virtual bool changed_nothing() const = 0;

  // Returns the response that tells the client to come again, because there is no memory for the one that it asked for.
  virtual Response busy() const = 0;

  // Returns whether the response is known already. Then run() does not use the body of the request.
  virtual bool is_refused() const = 0;

  // Returns how long to wait before run(). Call it once, when the body is there. If the client hangs up meanwhile, call
  // give_up() instead of run(): nothing was done.
  virtual std::chrono::microseconds delay() { return {}; }
  virtual void give_up() {}

  // Runs the operation. A failure that no client can cause is logged, and the response is 500 InternalError. A scan
  // ends soon after `hung_up` becomes true. `memory` is charged for the response: a page grows within it.
  virtual Response run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) = 0;

  // Returns the event of this request with its response. It holds views of the call, the request and the response.
  virtual RequestEvent event(const Response& response, std::chrono::microseconds duration) const = 0;
};

}  // namespace rocktable
