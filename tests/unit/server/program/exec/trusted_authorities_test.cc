// The certificate files and variables for the command of `rocktable exec`.
#include "server/program/exec/trusted_authorities.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;

// Certificates are copied without parsing.
std::string certificate(const std::string& text, const std::string& label = "CERTIFICATE") {
  return "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n";
}

// The certificates of a system and a user, and the authority to add.
class Machine {
 public:
  Machine() {
    system = {path("absent.pem"), path("system.pem"), path("ours.pem")};
    fs::create_directory(out());
    write("ours.pem", certificate("ours"));
    write("system.pem", "# the system's\n" + certificate("first") + certificate("second"));
  }

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  fs::path out() const { return path("out"); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  // Returns the result for programs with this environment.
  Trust trust(std::map<std::string, std::string> environment = {}) const {
    return add_trusted_authority(path("ours.pem"), out(),
                                 {[environment](const char* name) {
                                    const auto found = environment.find(name);
                                    return found == environment.end() ? std::string() : found->second;
                                  },
                                  system});
  }

  std::vector<fs::path> system;

 private:
  TemporaryFolder folder_;
};

std::string file_of(const Trust& trust, const std::string& name) {
  for (const auto& [variable, value] : trust.variables)
    if (variable == name) return value;
  return "";
}

// The content of the file that the variable names.
std::string trusted(const Trust& trust, const std::string& name) {
  std::ostringstream out;
  out << std::ifstream(file_of(trust, name), std::ios::binary).rdbuf();
  return out.str();
}

constexpr const char* kVariables[] = {"SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"};

TEST_CASE("The system's authorities stay trusted, and Node's built-in ones need no copy") {
  const Machine machine;
  const Trust trust = machine.trust();
  CHECK(trust.warnings.empty());
  CHECK(trust.variables.size() == 4);
  const std::string all = certificate("first") + certificate("second") + certificate("ours");
  for (const char* name : kVariables) CHECK(trusted(trust, name) == all);
  CHECK(trusted(trust, "NODE_EXTRA_CA_CERTS") == certificate("ours"));
  // Three of the variables name the same file.
  CHECK(std::distance(fs::directory_iterator(machine.out()), {}) == 2);
  struct stat status{};
  REQUIRE(stat(file_of(trust, "SSL_CERT_FILE").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0644);
}

TEST_CASE("Certificates in the user's variables replace those of the system, and stay trusted") {
  const Machine machine;
  const Trust trust = machine.trust({{"SSL_CERT_FILE", machine.write("ssl.pem", certificate("ssl"))},
                                     {"CURL_CA_BUNDLE", machine.write("curl.pem", certificate("curl"))},
                                     {"NODE_EXTRA_CA_CERTS", machine.write("node.pem", certificate("node"))}});
  CHECK(trust.warnings.empty());
  CHECK(trusted(trust, "SSL_CERT_FILE") == certificate("ssl") + certificate("ours"));
  CHECK(trusted(trust, "CURL_CA_BUNDLE") == certificate("curl") + certificate("ours"));
  CHECK(trusted(trust, "NODE_EXTRA_CA_CERTS") == certificate("node") + certificate("ours"));
  // requests reads curl's variable if its own is not set.
  CHECK(trusted(trust, "REQUESTS_CA_BUNDLE") == trusted(trust, "CURL_CA_BUNDLE"));
  const Trust own = machine.trust({{"CURL_CA_BUNDLE", machine.path("curl.pem")},
                                   {"REQUESTS_CA_BUNDLE", machine.write("own.pem", certificate("own"))}});
  CHECK(trusted(own, "REQUESTS_CA_BUNDLE") == certificate("own") + certificate("ours"));
}

TEST_CASE("Folders of certificates are read, each certificate once") {
  const Machine machine;
  machine.write("one/a.pem", certificate("a"));
  machine.write("one/b.pem", certificate("b") + certificate("first"));
  machine.write("one/README", "no certificate");
  fs::create_symlink("a.pem", machine.path("one/0123abcd.0"));
  fs::create_directory(machine.path("one/folder"));
  machine.write("two/c.crt", certificate("c"));
  const std::string both = machine.path("one").string() + ":" + machine.path("two").string() + ":/nowhere";
  const Trust trust = machine.trust({{"SSL_CERT_DIR", both}});
  CHECK(trust.warnings.empty());
  for (const char* name : kVariables)
    CHECK(trusted(trust, name) == certificate("first") + certificate("second") + certificate("a") + certificate("b") +
                                      certificate("c") + certificate("ours"));
  const Trust named = machine.trust({{"REQUESTS_CA_BUNDLE", machine.path("two")}});
  CHECK(trusted(named, "REQUESTS_CA_BUNDLE") == certificate("c") + certificate("ours"));
  Machine without_file;
  without_file.system = {machine.path("absent"), machine.path("two")};
  CHECK(trusted(without_file.trust(), "SSL_CERT_FILE") == certificate("c") + certificate("ours"));
}

TEST_CASE("Certificates are copied unchanged, and nothing else is copied") {
  const Machine machine;
  const std::string file = machine.write(
      "mixed.pem", "text" + certificate("trusted", "TRUSTED CERTIFICATE") + certificate("key", "PRIVATE KEY") +
                       "-----BEGIN CERTIFICATE-----\r\nlines\r\n-----END CERTIFICATE-----");
  CHECK(trusted(machine.trust({{"SSL_CERT_FILE", file}}), "SSL_CERT_FILE") ==
        certificate("trusted", "TRUSTED CERTIFICATE") +
            "-----BEGIN CERTIFICATE-----\r\nlines\r\n-----END CERTIFICATE-----\n" + certificate("ours"));
  const std::string torn = machine.write("torn.pem", certificate("whole") + "-----BEGIN CERTIFICATE-----\nto");
  CHECK(trusted(machine.trust({{"SSL_CERT_FILE", torn}}), "SSL_CERT_FILE") ==
        certificate("whole") + certificate("ours"));
}

TEST_CASE("An unreadable file is reported once, and our authority is trusted anyway") {
  Machine machine;
  const std::string absent = machine.path("absent.pem"), none = machine.write("none.pem", "text");
  const Trust trust = machine.trust({{"CURL_CA_BUNDLE", absent}, {"NODE_EXTRA_CA_CERTS", none}});
  CHECK(trust.warnings ==
        std::vector<std::string>{"CURL_CA_BUNDLE: " + absent +
                                     " cannot be read: No such file or directory; only rocktable's authority is "
                                     "trusted instead",
                                 "NODE_EXTRA_CA_CERTS: " + none +
                                     " contains no certificate in PEM form; only rocktable's authority is "
                                     "trusted instead"});
  for (const char* name : {"CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"})
    CHECK(trusted(trust, name) == certificate("ours"));
  CHECK(trusted(trust, "SSL_CERT_FILE") == certificate("first") + certificate("second") + certificate("ours"));

  fs::create_directory(machine.path("empty"));
  machine.system = {machine.path("absent.pem"), machine.path("empty")};
  const Trust without_system = machine.trust();
  REQUIRE(without_system.warnings.size() == 1);
  CHECK(without_system.warnings.front().starts_with("this system has no list of certificate authorities"));
  for (const char* name : kVariables) CHECK(trusted(without_system, name) == certificate("ours"));
}

TEST_CASE("Without the authority, or a folder to write to, there is an error") {
  const Machine machine;
  fs::remove_all(machine.out());
  CHECK_THROWS_AS(machine.trust(), std::runtime_error);
  fs::create_directory(machine.out());
  fs::remove(machine.path("ours.pem"));
  CHECK_THROWS_AS(machine.trust(), std::runtime_error);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
