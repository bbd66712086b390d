// Accounts: the text form, its errors, and the set in which requests look accounts up.
#include "server/access/accounts.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "odata/protocol/development_account.h"

namespace rocktable::TEST_FILE {
namespace {

std::string described(const std::vector<Account>& accounts) {
  std::string out;
  for (const auto& account : accounts) {
    if (!out.empty()) out += ' ';
    out += account.name;
    for (const auto& key : account.keys) out += "," + key;
  }
  return out;
}

std::string refusal_of(std::string_view text) {
  try {
    return "accepted: " + described(parse_accounts(text, "it"));
  } catch (const AccountsError& error) {
    return error.what();
  }
}

TEST_CASE("Account names are 3 to 24 lower-case letters and digits") {
  struct {
    std::string_view name;
    bool fits;
  } cases[] = {{"abc", true},
               {"123", true},
               {"a1b2c3d4e5f6g7h8i9j0k1l2", true},
               {"devstoreaccount1", true},
               {"", false},
               {"ab", false},
               {"a1b2c3d4e5f6g7h8i9j0k1l2m", false},
               {"Abc", false},
               {"a-b-c", false},
               {"a b", false},
               {"ab_", false},
               {"abc\n", false},
               {std::string_view("ab\0", 3), false},
               {"\xC3\xA4\xC3\xB6", false}};
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(is_account_name(c.name) == c.fits);
  }
}

TEST_CASE("Accounts are separated by semicolons and line ends, with blanks and comments anywhere") {
  struct {
    std::string_view text, accounts;
  } cases[] = {
      {"one:a2V5", "one,a2V5"},
      {"one:a2V5;", "one,a2V5"},
      {"one:a2V5:a2V6", "one,a2V5,a2V6"},
      {"two:a2V5;one:a2V6", "two,a2V5 one,a2V6"},
      {"two:a2V5;;one:a2V6;\n", "two,a2V5 one,a2V6"},
      {"\n one : a2V5 : a2V6 ;\r\n\ttwo:a2U=\t\r\n\r\n", "one,a2V5,a2V6 two,a2U="},
      {"# first\none:a2V5 # its key; not:an account\n#two:a2V5\n", "one,a2V5"},
      {"\xEF\xBB\xBFone:a2V5", "one,a2V5"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(described(parse_accounts(c.text, "it")) == c.accounts);
  }
}

TEST_CASE("Errors in accounts name line and account") {
  struct {
    std::string_view text, refusal;
  } cases[] = {
      {"", "it names no account"},
      {" ;\n# none\n;", "it names no account"},
      {"one", "it, line 1, account 1: an account must have the form NAME:KEY[:KEY]"},
      {"One:a2V5", "it, line 1, account 1: an account name must have 3 to 24 lower-case letters and digits"},
      {":a2V5", "it, line 1, account 1: an account name must have 3 to 24 lower-case letters and digits"},
      {"one:", "it, line 1, account 1: a key of account one is empty"},
      {"one::a2V5", "it, line 1, account 1: a key of account one is empty"},
      {"one:a2V5:", "it, line 1, account 1: a key of account one is empty"},
      {"one:a2V5:a2V6:a2V7", "it, line 1, account 1: account one has more than two keys"},
      {"one:a2V", "it, line 1, account 1: a key of account one is not base64"},
      {"one:a2 V5", "it, line 1, account 1: a key of account one is not base64"},
      {"one:a2V5:?", "it, line 1, account 1: a key of account one is not base64"},
      {"one:a2V5;two:a2V6\n\none:a2V7", "it, line 3, account 3: account one is repeated"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(refusal_of(c.text) == c.refusal);
  }
}

// A key in the wrong place must not appear in an error message either.
TEST_CASE("No error about accounts contains a key") {
  for (const std::string_view text :
       {"c2VjcmV0cw==", "c2VjcmV0cw==:one", "one:c2VjcmV0cw", "one:c2VjcmV0cw==;two",
        "one:c2VjcmV0cw==:", "one:c2VjcmV0cw==:c2VjcmV0cw==:c2VjcmV0cw==", "one:c2VjcmV0cw==;one:c2VjcmV0cw=="}) {
    CAPTURE(text);
    const std::string refusal = refusal_of(text);
    CHECK(refusal.starts_with("it"));
    CHECK(refusal.find("c2Vjcm") == std::string::npos);
  }
}

// --- The set --------------------------------------------------------------------------------------------

TEST_CASE("keys_of() returns the configured keys, and null after the account was removed") {
  Accounts accounts({{"one", {"a2V5", "a2V6"}}, {"two", {"a2V7"}}});
  const Accounts same = accounts;
  REQUIRE(same.keys_of("one") != nullptr);
  CHECK(*same.keys_of("one") == std::vector<std::string>{"a2V5", "a2V6"});
  CHECK(*same.keys_of("two") == std::vector<std::string>{"a2V7"});
  for (const char* name : {"", "on", "onet", "One", "three"}) CHECK(same.keys_of(name) == nullptr);
  accounts.replace({{"two", {"a2V5"}}, {"three", {"a2V8"}}});
  CHECK(same.keys_of("one") == nullptr);
  CHECK(*same.keys_of("two") == std::vector<std::string>{"a2V5"});
  CHECK(*same.keys_of("three") == std::vector<std::string>{"a2V8"});
}

TEST_CASE("Several sets do not mix on one thread") {
  const Accounts first({{"one", {"a2V5"}}}), second({{"two", {"a2V6"}}});
  for (int i = 0; i < 3; ++i) {
    CHECK(first.keys_of("one") != nullptr);
    CHECK(first.keys_of("two") == nullptr);
    CHECK(second.keys_of("one") == nullptr);
    CHECK(second.keys_of("two") != nullptr);
  }
}

TEST_CASE("With any account, well-formed names have the well-known key, and named ones their own") {
  const Accounts accounts({{"one", {"a2V5"}}}, true);
  CHECK(*accounts.keys_of("one") == std::vector<std::string>{"a2V5"});
  for (const std::string_view name : {kDevelopmentAccount, std::string_view("whoever"), std::string_view("123")}) {
    REQUIRE(accounts.keys_of(name) != nullptr);
    CHECK(*accounts.keys_of(name) == std::vector<std::string>{std::string(kDevelopmentKey)});
  }
  for (const char* name : {"", "ab", "Whoever", "_rocktable", "a.b", "who-ever"})
    CHECK(accounts.keys_of(name) == nullptr);
}

// Also run under ThreadSanitizer. replace() is atomic: no reader sees an account of one set with the keys of
// another.
TEST_CASE("Readers see either the old or the new accounts while these are replaced") {
  Accounts accounts({{"one", {"a2V5"}}});
  const std::vector<std::string> old_keys{"a2V5"}, new_keys{"a2V6", "a2V7"};
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> readers;
  readers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const auto* keys = accounts.keys_of("one");
        if (keys == nullptr || (*keys != old_keys && *keys != new_keys)) ++wrong;
      }
    });
  }
  for (int i = 0; i < 300; ++i) accounts.replace({{"one", i % 2 == 0 ? new_keys : old_keys}});
  stop = true;
  readers.clear();
  CHECK(wrong == 0);
}

TEST_CASE("More keys than the cache holds sign as well") {
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1100; ++i) {
      const std::string key = "AA" + std::to_string(100000 + i);  // eight characters: base64 without padding
      REQUIRE(cached_key(key).sign("text") == AccountKey(key).sign("text"));
    }
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
