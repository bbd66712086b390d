// The program of the unit tests as a companion: companions_test.cc has what it does in the other process.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "base/platform/companions.h"

namespace rocktable {

inline constexpr const char* kActsAsCompanion = "this process acts as a companion";
inline constexpr const char* kPartVariable = "ROCKTABLE_COMPANION";
inline constexpr std::chrono::milliseconds kLongWait{20'000};

// `part`: as in companions_test.cc.
inline CompanionStart acting_companion(const std::string& part) {
  const auto program = program_at(std::filesystem::absolute(doctest::getContextOptions()->binary_name.c_str()));
  REQUIRE(program);
  return {.words = {program->string(), std::string("--test-case=") + kActsAsCompanion, "--no-skip", "--no-intro",
                    "--no-version"},
          .variables = {{kPartVariable, part}},
          .files = {}};
}

// Adds what it prints to the text, until that has `end`. Returns false if it prints no more before.
inline bool read_until(Companion& companion, std::string& text, const std::string& end) {
  while (text.find(end) == std::string::npos)
    if (companion.await_output(text, kLongWait) != Companion::Output::Some) return false;
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
