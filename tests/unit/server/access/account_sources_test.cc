// AccountSources: the environment variable, the file, and changes of the watched file.
#include "server/access/account_sources.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "odata/protocol/development_account.h"
#include "tests/unit/support/temporary_folder.h"
#include "tests/unit/support/wait_until.h"

namespace rocktable::TEST_FILE {
namespace {

// Sets the environment variable during a test.
class Variable {
 public:
  explicit Variable(const char* text) { setenv("AZURITE_ACCOUNTS", text, 1); }
  ~Variable() { unsetenv("AZURITE_ACCOUNTS"); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
};

void write(const std::filesystem::path& path, std::string_view text) { std::ofstream(path) << text; }

std::string described(const std::vector<Account>& accounts) {
  std::string out;
  for (const auto& account : accounts) out += account.name + "=" + account.keys.front() + " ";
  return out;
}

std::string read(const std::string& file) {
  try {
    return described(AccountSources(file).read());
  } catch (const AccountsError& error) {
    return error.what();
  }
}

const std::string kDevelopment = std::string(kDevelopmentAccount) + "=" + std::string(kDevelopmentKey) + " ";

TEST_CASE("devstoreaccount1 is the default, also with a blank variable") {
  CHECK(read("") == kDevelopment);
  for (const char* text : {"", " ", "\r\n\t"}) {
    const Variable variable(text);
    CHECK(read("") == kDevelopment);
  }
}

TEST_CASE("Variable and file are merged, and the file has precedence") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "accounts";
  write(file, "two:a2V5\nthree:a2V5\n");
  CHECK(read(file) == "two=a2V5 three=a2V5 ");
  const Variable variable("one:a2V6;two:a2V6;");
  CHECK(read("") == "one=a2V6 two=a2V6 ");
  CHECK(read(file) == "one=a2V6 two=a2V5 three=a2V5 ");
}

TEST_CASE("Errors name the unreadable source") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "accounts", pipe = folder.path() / "pipe";
  CHECK(read(file) == "cannot read the accounts file " + file + ": No such file or directory");
  CHECK(read(folder.path()) ==
        "cannot read the accounts file " + folder.path().string() + ": it is not a regular file");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(read(pipe) == "cannot read the accounts file " + pipe + ": it is not a regular file");
  write(file, "one:a2V5\ntwo\n");
  CHECK(read(file) ==
        "the accounts file " + file + ", line 2, account 2: an account must have the form NAME:KEY[:KEY]");
  write(file, std::string((16 << 20) + 1, '\n'));
  CHECK(read(file) == "cannot read the accounts file " + file + ": it is larger than 16 MiB");
  const Variable variable("one");
  CHECK(read("") == "AZURITE_ACCOUNTS, line 1, account 1: an account must have the form NAME:KEY[:KEY]");
}

// The file is written in place, replaced, removed and restored, broken and repaired.
TEST_CASE("A watched file is read again after each change, and a broken one changes nothing") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "accounts", other = folder.path() / "other";
  write(file, "one:a2V5\n");
  AccountSources sources(file);
  const Accounts accounts(sources.read());
  sources.watch(accounts);
  const auto has = [&](const char* name, const char* key) {
    return wait_until([&] {
      const auto* keys = accounts.keys_of(name);
      return keys != nullptr && keys->front() == key;
    });
  };
  write(file, "one:a2V6\n");  // the same size
  CHECK(has("one", "a2V6"));
  write(other, "two:a2V7\n");
  std::filesystem::rename(other, file);
  CHECK(has("two", "a2V7"));
  CHECK(accounts.keys_of("one") == nullptr);
  for (const bool gone : {false, true}) {
    gone ? static_cast<void>(std::filesystem::remove(file)) : write(file, "two");
    std::this_thread::sleep_for(std::chrono::milliseconds(900));
    CHECK(accounts.keys_of("two") != nullptr);
    write(file, gone ? "four:a2V5" : "two:a2V7;three:a2V5");
    CHECK(has(gone ? "four" : "three", "a2V5"));
  }
}

TEST_CASE("A watched file that keeps changing is read anyway") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "accounts", other = folder.path() / "other";
  write(file, "one:a2V5\n");
  AccountSources sources(file);
  const Accounts accounts(sources.read());
  sources.watch(accounts);
  CHECK(wait_until([&] {
    write(other, "two:a2V5\n");
    std::filesystem::rename(other, file);
    return accounts.keys_of("two") != nullptr;
  }));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
