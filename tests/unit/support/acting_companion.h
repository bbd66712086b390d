// The program of the unit tests as a companion: companions_test.cc has what it does in the other process.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/platform/companions.h"

namespace rocktable {

inline constexpr const char* kActsAsCompanion = "this process acts as a companion";
inline constexpr const char* kPartVariable = "ROCKTABLE_COMPANION";
inline constexpr std::chrono::milliseconds kLongWait{20'000};

// Whether ask_to_stop() reaches a companion. Wine gives processes without a terminal no console, which that needs on
// Windows; its variable is set where the tests run by Wine.
inline bool can_ask_to_stop() {
  if (std::getenv("WINEPREFIX") == nullptr || kStopSignal != "SIGBREAK") return true;
  MESSAGE("not tried: it takes a console");
  return false;
}

// `part`: as in companions_test.cc.
inline CompanionStart acting_companion(const std::string& part) {
  const auto program = program_at(std::filesystem::absolute(doctest::getContextOptions()->binary_name.c_str()));
  REQUIRE(program);
  return {.words = {program->string(), std::string("--test-case=") + kActsAsCompanion, "--no-skip", "--no-intro",
                    "--no-version"},
          .variables = {{kPartVariable, part}},
          .files = {}};
}

// Adds what it prints to the text, until that has `end`. Returns false if it prints no more before. Lines end with LF
// on all systems.
inline bool read_until(Companion& companion, std::string& text, const std::string& end) {
  while (text.find(end) == std::string::npos) {
    if (companion.await_output(text, kLongWait) != Companion::Output::Some) return false;
    std::erase(text, '\r');
  }
  return true;
}

// All that it prints, and then its end as text.
inline std::string told_by(Companion& companion) {
  std::string text;
  auto output = Companion::Output::Some;
  while (output == Companion::Output::Some) output = companion.await_output(text, kLongWait);
  CHECK(output == Companion::Output::End);
  std::erase(text, '\r');
  const auto ending = companion.await_end(kLongWait);
  return text + (ending ? ending->to_text() : "no end");
}

}  // namespace rocktable
