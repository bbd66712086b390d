// Secrets passed as values, files and variables.
#include "client/secret.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

// Returns the secret, or `refused: ` and the error.
std::string secret_of(const std::string& given) {
  try {
    return read_secret(given, "--pwd");
  } catch (const std::runtime_error& error) {
    return std::string("refused: ") + error.what();
  }
}

class Variable {
 public:
  explicit Variable(const char* value) { ::setenv("ROCKTABLE_TEST_SECRET", value, 1); }
  ~Variable() { ::unsetenv("ROCKTABLE_TEST_SECRET"); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
};

}  // namespace

TEST_CASE("a secret is the value itself, unless it begins with @ or env:") {
  for (const char* value : {"", "open-sesame", "a@b", " @x", "environment", "ENV:x", "env"})
    CHECK(secret_of(value) == value);
}

TEST_CASE("a secret is the contents of a file without trailing line breaks") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "secret").string();
  const struct {
    std::string text, secret;
  } cases[] = {
      {"open-sesame", "open-sesame"},
      {"open-sesame\n", "open-sesame"},
      {"open-sesame\r\n", "open-sesame"},
      {" open\nsesame \n\n", " open\nsesame "},
      {"@env:", "@env:"},
      {"env:PATH\n", "env:PATH"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    std::ofstream(file) << c.text;
    CHECK(secret_of("@" + file) == c.secret);
  }
  std::ofstream(file) << "\n";
  CHECK(secret_of("@" + file) == "refused: --pwd: " + file + " is empty");
  std::ofstream(file) << std::string((64 << 10) + 1, 'x');
  CHECK(secret_of("@" + file) == "refused: --pwd: " + file + " is longer than 65536 bytes");
  CHECK(secret_of("@/nowhere") == "refused: --pwd: /nowhere cannot be read: No such file or directory");
  CHECK(secret_of("@" + folder.path().string()).find("cannot be read") != std::string::npos);
}

TEST_CASE("a secret is the unchanged value of a variable") {
  CHECK(secret_of("env:ROCKTABLE_TEST_SECRET") == "refused: --pwd: the variable ROCKTABLE_TEST_SECRET is not set");
  {
    const Variable variable("@not a file\n");
    CHECK(secret_of("env:ROCKTABLE_TEST_SECRET") == "@not a file\n");
  }
  const Variable variable("");
  CHECK(secret_of("env:ROCKTABLE_TEST_SECRET") == "refused: --pwd: the variable ROCKTABLE_TEST_SECRET is empty");
}

}  // namespace rocktable::TEST_FILE
