// The identity of the server: from files, and issued by the local authority.
#include "server/tls/tls.h"

#include <doctest/doctest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>
#include <vector>

#include "server/tls/certificate_authority.h"
#include "server/tls/certificate_names.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

using StorePtr = std::unique_ptr<X509_STORE, OpenSslDeleter<X509_STORE_free>>;
using VerificationPtr = std::unique_ptr<X509_STORE_CTX, OpenSslDeleter<X509_STORE_CTX_free>>;

std::string contents(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// The message of the TlsError; empty if there is none.
std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const TlsError& error) {
    return error.what();
  }
  return "";
}

void check_complaint(const std::string& text, const std::vector<std::string>& parts) {
  CAPTURE(text);
  CHECK_FALSE(text.empty());
  CHECK(text.find('\n') == std::string::npos);
  for (const auto& part : parts) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

// Runs the `openssl` command in the folder.
void openssl(const TemporaryFolder& folder, const std::string& arguments) {
  const std::string command = "cd '" + folder.path().string() + "' && openssl " + arguments + " >log 2>&1";
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);  // NOLINT(bugprone-command-processor): the command of the tests
}

// cert.pem and key.pem, and files derived from them.
void make_pem(const TemporaryFolder& folder, const std::string& name = "") {
  openssl(folder, "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 -keyout " +
                      name + "key.pem -out " + name + "cert.pem");
}

std::string path(const TemporaryFolder& folder, const std::string& name) { return (folder.path() / name).string(); }

std::string subject(X509* certificate) {
  char name[256];
  REQUIRE(X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name) > 0);
  return name;
}

CertificatePtr certificate_in(const std::filesystem::path& file) {
  return std::move(parse_certificates(contents(file), file.string()).certificate);
}

// Returns whether a client that trusts `authority` accepts the certificate for this server name.
bool is_trusted(X509* authority, X509* certificate, const std::string& host) {
  const StorePtr store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), authority);
  const VerificationPtr verification(X509_STORE_CTX_new());
  X509_STORE_CTX_init(verification.get(), store.get(), certificate, nullptr);
  X509_VERIFY_PARAM* parameters = X509_STORE_CTX_get0_param(verification.get());
  X509_STORE_CTX_set_default(verification.get(), "ssl_server");
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_X509_STRICT);
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host.c_str()) != 1)
    X509_VERIFY_PARAM_set1_host(parameters, host.c_str(), host.size());
  const bool out = X509_verify_cert(verification.get()) == 1;
  ERR_clear_error();
  return out;
}

// --- The local authority -----------------------------------------------------------------------------------

TEST_CASE("A certificate authority is created once and then reused") {
  const TemporaryFolder folder;
  const auto tls = folder.path() / "new" / "tls";
  const CertificateAuthority first(tls);
  CHECK(first.file() == tls / "ca.pem");
  const std::string certificate = contents(tls / "ca.pem"), key = contents(tls / "ca-key.pem");
  const CertificateAuthority second(tls);
  CHECK(contents(tls / "ca.pem") == certificate);
  CHECK(contents(tls / "ca-key.pem") == key);
  const auto authority = certificate_in(tls / "ca.pem");
  CHECK(is_trusted(authority.get(), second.issue({"localhost"}).certificate.get(), "localhost"));
  CHECK(std::distance(std::filesystem::directory_iterator(tls), {}) == 3);
}

TEST_CASE("The key of the authority is readable only by its owner") {
  const TemporaryFolder folder;
  const CertificateAuthority authority(folder.path());
  struct stat key{};
  REQUIRE(stat((folder.path() / "ca-key.pem").c_str(), &key) == 0);
  CHECK((key.st_mode & 07777) == 0600);
}

TEST_CASE("The authority signs only certificates, and no further authorities") {
  const TemporaryFolder folder;
  const CertificateAuthority authority(folder.path());
  const auto certificate = certificate_in(authority.file());
  CHECK(X509_check_ca(certificate.get()) == 1);
  CHECK(X509_get_pathlen(certificate.get()) == 0);
  CHECK(X509_get_key_usage(certificate.get()) == (KU_KEY_CERT_SIGN | KU_CRL_SIGN));
  int days = 0, seconds = 0;
  REQUIRE(ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get())) == 1);
  CHECK(days >= 3648);
  CHECK(days <= 3650);
  const TemporaryFolder other;
  CHECK(subject(certificate.get()) != subject(certificate_in(CertificateAuthority(other.path()).file()).get()));
}

TEST_CASE("A certificate of the authority is valid only for its hosts") {
  const TemporaryFolder folder, other;
  const CertificateAuthority authority(folder.path());
  const auto trusted = certificate_in(authority.file());
  const Identity identity = authority.issue(certificate_names("tables.test", {"*.table.core.windows.net"}));
  for (const char* host : {"localhost", "devstoreaccount1.table.localhost", "any.table.localhost", "127.0.0.1", "::1",
                           "host.docker.internal", "tables.test", "orders.table.core.windows.net"}) {
    CAPTURE(host);
    CHECK(is_trusted(trusted.get(), identity.certificate.get(), host));
  }
  for (const char* host : {"example.com", "a.b.table.localhost", "127.0.0.2", "::2", "x.localhost",
                           "table.core.windows.net", "orders.blob.core.windows.net"}) {
    CAPTURE(host);
    CHECK_FALSE(is_trusted(trusted.get(), identity.certificate.get(), host));
  }
  const auto stranger = certificate_in(CertificateAuthority(other.path()).file());
  CHECK_FALSE(is_trusted(stranger.get(), identity.certificate.get(), "localhost"));
  CHECK(X509_check_private_key(identity.certificate.get(), identity.key.get()) == 1);
  CHECK(X509_check_ca(identity.certificate.get()) == 0);
}

TEST_CASE("A certificate is valid for 397 days from an hour ago, with a unique serial number") {
  const TemporaryFolder folder;
  const CertificateAuthority authority(folder.path());
  const Identity one = authority.issue({"localhost"}), another = authority.issue({"localhost"});
  int days = 0, seconds = 0;
  const X509* certificate = one.certificate.get();
  REQUIRE(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(certificate), X509_get0_notAfter(certificate)) == 1);
  CHECK(days == 397);
  CHECK(seconds == 0);
  REQUIRE(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(certificate), nullptr) == 1);
  CHECK(days == 0);
  CHECK(seconds >= 3600);
  CHECK(seconds < 3660);
  CHECK(ASN1_INTEGER_cmp(X509_get0_serialNumber(certificate), X509_get0_serialNumber(another.certificate.get())) != 0);
}

TEST_CASE("Processes that start concurrently in one folder use the same authority") {
  for (int round = 0; round < 5; ++round) {
    const TemporaryFolder folder;
    std::vector<std::string> seen(8);
    {
      std::vector<std::jthread> threads;
      threads.reserve(seen.size());
      for (auto& text : seen)
        threads.emplace_back([&] { text = contents(CertificateAuthority(folder.path() / "tls").file()); });
    }
    CHECK(std::count(seen.begin(), seen.end(), seen[0]) == 8);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path() / "tls"), {}) == 3);
  }
}

TEST_CASE("The next start completes an authority that lacks its certificate") {
  const TemporaryFolder folder;
  {
    const CertificateAuthority authority(folder.path());
  }
  const std::string key = contents(folder.path() / "ca-key.pem");
  std::filesystem::remove(folder.path() / "ca.pem");
  const CertificateAuthority authority(folder.path());
  CHECK(contents(folder.path() / "ca-key.pem") == key);
  CHECK(is_trusted(certificate_in(authority.file()).get(), authority.issue({"::1"}).certificate.get(), "::1"));
}

TEST_CASE("The error of a damaged authority names its file, and the file is unchanged") {
  const TemporaryFolder good;
  {
    const CertificateAuthority authority(good.path());
  }
  const std::string certificate = contents(good.path() / "ca.pem"), key = contents(good.path() / "ca-key.pem");
  const TemporaryFolder other;
  {
    const CertificateAuthority authority(other.path());
  }
  std::string flipped = certificate;
  flipped[flipped.size() - 40] = flipped[flipped.size() - 40] == 'A' ? 'B' : 'A';

  const struct {
    std::string certificate, key, file;
  } cases[] = {
      {"", key, "ca.pem"},
      {"nonsense", key, "ca.pem"},
      {certificate.substr(0, certificate.size() / 2), key, "ca.pem"},
      {flipped, key, "ca.pem"},
      {certificate, "", "ca-key.pem"},
      {certificate, key.substr(0, key.size() / 2), "ca-key.pem"},
      {contents(other.path() / "ca.pem"), key, "ca-key.pem"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.certificate);
    CAPTURE(c.key);
    const TemporaryFolder folder;
    write(folder.path() / "ca.pem", c.certificate);
    write(folder.path() / "ca-key.pem", c.key);
    check_complaint(complaint([&] { CertificateAuthority{folder.path()}; }), {path(folder, c.file)});
    CHECK(contents(folder.path() / "ca.pem") == c.certificate);
    CHECK(contents(folder.path() / "ca-key.pem") == c.key);
  }
  const TemporaryFolder keyless;
  write(keyless.path() / "ca.pem", certificate);
  check_complaint(complaint([&] { CertificateAuthority{keyless.path()}; }), {path(keyless, "ca-key.pem")});
}

TEST_CASE("An expired authority, or a certificate that is not one, is an error and left unchanged") {
  const TemporaryFolder folder;
  {
    const CertificateAuthority authority(folder.path());
  }
  const auto file = folder.path() / "ca.pem";
  const KeyPtr key = parse_key(contents(folder.path() / "ca-key.pem"), "ca-key.pem");
  const auto certificate = certificate_in(file);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), -60);
  REQUIRE(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  const BioPtr out(BIO_new_file(file.c_str(), "w"));
  REQUIRE(PEM_write_bio_X509(out.get(), certificate.get()) == 1);
  REQUIRE(BIO_flush(out.get()) == 1);
  const std::string before = contents(file);
  check_complaint(complaint([&] { CertificateAuthority{folder.path()}; }), {file, "expired"});
  CHECK(contents(file) == before);
  openssl(folder,
          "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x -addext "
          "basicConstraints=critical,CA:FALSE -keyout ca-key.pem -out ca.pem");
  check_complaint(complaint([&] { CertificateAuthority{folder.path()}; }), {file, "damaged"});
}

TEST_CASE("The error names the folder that cannot be created") {
  const TemporaryFolder folder;
  write(folder.path() / "file", "");
  check_complaint(complaint([&] { CertificateAuthority{folder.path() / "file" / "tls"}; }), {path(folder, "file")});
}

// --- Identities from files ---------------------------------------------------------------------------------

TEST_CASE("A PEM certificate is read with its key and the certificates after it") {
  const TemporaryFolder folder;
  make_pem(folder);
  make_pem(folder, "other-");
  write(folder.path() / "chain.pem", contents(folder.path() / "cert.pem") + contents(folder.path() / "other-cert.pem"));
  const Identity identity = read_pem(path(folder, "chain.pem"), path(folder, "key.pem"));
  CHECK(subject(identity.certificate.get()) == "localhost");
  CHECK(sk_X509_num(identity.chain.get()) == 1);
  CHECK_NOTHROW(tls_context(identity, "chain.pem"));
  // One file may hold all.
  write(folder.path() / "all.pem", contents(folder.path() / "key.pem") + contents(folder.path() / "cert.pem"));
  CHECK_NOTHROW(read_pem(path(folder, "all.pem"), path(folder, "all.pem")));
}

TEST_CASE("Intermediate certificates are served in order, without the root, whatever their order in the file") {
  const TemporaryFolder folder;
  const std::string key = " -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes ";
  openssl(folder, "req -x509" + key + "-subj /CN=root -days 2 -keyout root.key -out root.pem");
  write(folder.path() / "ca.ext", "basicConstraints=critical,CA:TRUE\n");
  const auto issue = [&](const std::string& name, const std::string& issuer, const std::string& more) {
    openssl(folder, "req -new" + key + "-subj /CN=" + name + " -keyout " + name + ".key -out " + name + ".csr");
    openssl(folder, "x509 -req -in " + name + ".csr -CA " + issuer + ".pem -CAkey " + issuer +
                        ".key -CAcreateserial -days 2 -out " + name + ".pem" + more);
  };
  issue("upper", "root", " -extfile ca.ext");
  issue("lower", "upper", " -extfile ca.ext");
  issue("leaf", "lower", "");
  std::string chain;
  for (const char* name : {"leaf.pem", "root.pem", "upper.pem", "lower.pem"}) chain += contents(folder.path() / name);
  write(folder.path() / "chain.pem", chain);
  auto context = tls_context(read_pem(path(folder, "chain.pem"), path(folder, "leaf.key")), "chain.pem");
  STACK_OF(X509)* served = nullptr;
  REQUIRE(SSL_CTX_get0_chain_certs(context.native_handle(), static_cast<void*>(&served)) == 1);
  REQUIRE(sk_X509_num(served) == 2);
  CHECK(subject(sk_X509_value(served, 0)) == "lower");
  CHECK(subject(sk_X509_value(served, 1)) == "upper");
}

TEST_CASE("Errors of a PEM file name the file") {
  const TemporaryFolder folder;
  make_pem(folder);
  make_pem(folder, "other-");
  openssl(folder, "ec -in key.pem -aes128 -passout pass:secret -out encrypted.pem");
  write(folder.path() / "nonsense.pem", "nonsense");
  write(folder.path() / "large.pem", std::string(2 << 20, 'a'));
  write(folder.path() / "cut.pem",
        contents(folder.path() / "cert.pem") + contents(folder.path() / "other-cert.pem").substr(0, 200));
  const struct {
    std::string certificate, key;
    std::vector<std::string> named;
  } cases[] = {
      {"absent.pem", "key.pem", {"absent.pem", "No such file"}},
      {"cert.pem", "absent.pem", {"absent.pem", "No such file"}},
      {".", "key.pem", {"directory"}},
      {"large.pem", "key.pem", {"large.pem", "too large"}},
      {"nonsense.pem", "key.pem", {"nonsense.pem", "no certificate"}},
      {"cut.pem", "key.pem", {"cut.pem", "damaged"}},
      {"cert.pem", "nonsense.pem", {"nonsense.pem", "no private key"}},
      {"cert.pem", "cert.pem", {"cert.pem", "no private key"}},
      {"key.pem", "key.pem", {"key.pem", "no certificate"}},
      {"cert.pem", "other-key.pem", {"other-key.pem", "cert.pem", "does not match"}},
      {"cert.pem", "encrypted.pem", {"encrypted.pem", "is encrypted"}},
  };
  for (const auto& c : cases)
    check_complaint(complaint([&] { read_pem(path(folder, c.certificate), path(folder, c.key)); }), c.named);
}

TEST_CASE("A PFX file of any tool opens with its password") {
  const TemporaryFolder folder;
  make_pem(folder);
  make_pem(folder, "other-");
  const std::string exported = "pkcs12 -export -in cert.pem -inkey key.pem -certfile other-cert.pem -out ";
  openssl(folder, exported + "new.pfx -passout pass:secret");
  openssl(folder, exported + "3des.pfx -passout pass:secret -certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES -macalg sha1");
  openssl(folder, exported + "rc2.pfx -passout pass:secret -legacy");
  openssl(folder, exported + "empty.pfx -passout pass:");
  for (const char* file : {"new.pfx", "3des.pfx", "rc2.pfx", "empty.pfx"}) {
    CAPTURE(file);
    const std::string password = std::string(file) == "empty.pfx" ? "" : "secret";
    Identity identity;
    REQUIRE_NOTHROW(identity = read_pfx(path(folder, file), password));
    CHECK(sk_X509_num(identity.chain.get()) == 1);
    CHECK_NOTHROW(tls_context(identity, file));
    const std::string text = complaint([&] { read_pfx(path(folder, file), "hunter2"); });
    check_complaint(text, {path(folder, file), "password"});
    CHECK(text.find("hunter2") == std::string::npos);
  }
}

TEST_CASE("Errors of a PFX file name the file") {
  const TemporaryFolder folder;
  make_pem(folder);
  openssl(folder, "pkcs12 -export -nokeys -in cert.pem -out keyless.pfx -passout pass:secret");
  openssl(folder, "pkcs12 -export -in cert.pem -inkey key.pem -out good.pfx -passout pass:secret");
  const std::string good = contents(folder.path() / "good.pfx");
  write(folder.path() / "cut.pfx", good.substr(0, good.size() / 2));
  for (const char* file : {"absent.pfx", "keyless.pfx", "cut.pfx", "cert.pem"}) {
    const std::string text = complaint([&] { read_pfx(path(folder, file), "secret"); });
    check_complaint(text, {path(folder, file)});
    CHECK(text.find("secret") == std::string::npos);
  }
}

TEST_CASE("A key that is too weak for current clients is refused with a message") {
  const TemporaryFolder folder;
  openssl(folder, "req -x509 -newkey rsa:512 -nodes -subj /CN=localhost -days 2 -keyout key.pem -out cert.pem");
  const Identity identity = read_pem(path(folder, "cert.pem"), path(folder, "key.pem"));
  check_complaint(complaint([&] { tls_context(identity, "cert.pem"); }), {"cert.pem", "too small"});
}

}  // namespace
}  // namespace rocktable::TEST_FILE
