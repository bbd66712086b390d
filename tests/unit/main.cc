// The entry of the unit tests. `--help` lists doctest's options, `-tc="*words*"` runs one test.
//
// A test that runs for longer than ROCKTABLE_TEST_CASE_SECONDS ends the run with its name and exit code 3: the runner
// would wait for the rest of its own, longer time, and could not tell which test it was.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace rocktable {
namespace {

constexpr int kExitCode = 3;

std::chrono::seconds limit() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kDefault = 600;
#else
  constexpr int kDefault = 120;
#endif
  const char* set = std::getenv("ROCKTABLE_TEST_CASE_SECONDS");
  const int seconds = set != nullptr ? std::atoi(set) : 0;
  return std::chrono::seconds(seconds > 0 ? seconds : kDefault);
}

class Watchdog : public doctest::IReporter {
 public:
  explicit Watchdog(const doctest::ContextOptions&) {}

  void test_run_start() override {
    thread_ = std::thread([this] { watch(); });
  }
  void test_run_end(const doctest::TestRunStats&) override {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void test_case_start(const doctest::TestCaseData& test) override {
    std::string name =
        "\"" + std::string(test.m_name) + "\" (" + test.m_file.c_str() + ":" + std::to_string(test.m_line) + ")";
    begin(std::move(name));
  }
  void test_case_reenter(const doctest::TestCaseData& test) override { test_case_start(test); }
  void test_case_end(const doctest::CurrentTestCaseStats&) override { begin(std::nullopt); }

  void report_query(const doctest::QueryData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  void begin(std::optional<std::string> name) {
    {
      const std::lock_guard lock(mutex_);
      name_ = std::move(name);
      ++begun_;
    }
    changed_.notify_all();
  }

  void watch() {
    const std::chrono::seconds longest = limit();
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      const int watched = begun_;
      const bool ended = changed_.wait_for(lock, longest, [&] { return begun_ != watched || is_over_; });
      if (ended || !name_) continue;
      std::fprintf(stderr, "the test %s runs for longer than %lld s\n", name_->c_str(),
                   static_cast<long long>(longest.count()));
      std::fflush(nullptr);
      std::_Exit(kExitCode);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> name_;  // of the test that runs
  int begun_ = 0;
  bool is_over_ = false;
  std::thread thread_;
};

REGISTER_LISTENER("watchdog", 0, Watchdog);

}  // namespace
}  // namespace rocktable
