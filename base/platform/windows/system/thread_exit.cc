// Destroys the thread_local objects of a thread while their memory is still there.
//
// The C++ library of GCC 12 for Windows keeps both in keys of the thread library, which may free the memory first (GCC
// bug 83562). This replaces its function by one whose key is made before all others: keys are visited in their order.
#include <pthread.h>

#include <cstdlib>
#include <new>

namespace {

struct Destruction {
  void (*destroy)(void*);
  void* object;
  Destruction* next;
};

pthread_key_t destructions_key;
pthread_once_t key_is_made = PTHREAD_ONCE_INIT, end_is_prepared = PTHREAD_ONCE_INIT;

// Objects may be made while others are destroyed.
void destroy_all(void* first) {
  for (auto* one = static_cast<Destruction*>(first); one != nullptr;
       one = static_cast<Destruction*>(pthread_getspecific(destructions_key))) {
    pthread_setspecific(destructions_key, one->next);
    one->destroy(one->object);
    delete one;
  }
}

// exit() runs in the main thread.
void destroy_those_of_main_thread() { destroy_all(pthread_getspecific(destructions_key)); }

void prepare_end() { std::atexit(destroy_those_of_main_thread); }

void make_key() { pthread_key_create(&destructions_key, destroy_all); }

// Before all constructors of the program, which may use thread_local variables
[[gnu::constructor(101)]] void make_key_first() { pthread_once(&key_is_made, make_key); }

}  // namespace

extern "C" int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* /*module*/) {
  pthread_once(&key_is_made, make_key);
  pthread_once(&end_is_prepared, prepare_end);
  auto* const one =
      new (std::nothrow) Destruction{destroy, object, static_cast<Destruction*>(pthread_getspecific(destructions_key))};
  if (one == nullptr) return -1;
  return pthread_setspecific(destructions_key, one);
}
