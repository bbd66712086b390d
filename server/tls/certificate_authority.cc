#include "server/tls/certificate_authority.h"

#include <openssl/rand.h>
#include <spdlog/spdlog.h>

#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/atomic_file.h"
#include "base/folder_swap.h"
#include "base/platform/file.h"
#include "server/tls/pem.h"
#include "server/tls/tls.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;
namespace ip = boost::asio::ip;

constexpr int kAuthorityDays = 3650;
constexpr int kCertificateDays = 397;  // Apple's limit is 398, the lowest of all clients
constexpr long kClockSkew = 3600;      // seconds: the clock of a client may be behind
constexpr int kSerialBits = 127;
constexpr long kVersion3 = 2;

void require(bool good, const char* what) {
  if (!good) throw TlsError(std::string("cannot create a certificate: ") + what + ": " + openssl_reason());
}

// --- Certificates ------------------------------------------------------------------------------------------

KeyPtr new_key() {
  KeyPtr key(EVP_EC_gen("P-256"));
  require(key != nullptr, "key");
  return key;
}

void set_serial(X509* certificate) {
  const BigNumberPtr serial(BN_new());
  require(serial && BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
              BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr,
          "serial number");
}

void set_common_name(X509_NAME* name, const std::string& text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  require(
      X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, bytes, static_cast<int>(text.size()), -1, 0) == 1,
      "name");
}

// Valid from an hour ago; expires no later than the issuer.
void set_validity(X509* certificate, const X509* issuer, int days) {
  std::time_t now = std::time(nullptr);
  require(X509_time_adj_ex(X509_getm_notBefore(certificate), 0, -kClockSkew, &now) != nullptr &&
              X509_time_adj_ex(X509_getm_notAfter(certificate), days, -kClockSkew, &now) != nullptr,
          "validity");
  if (ASN1_TIME_compare(X509_get0_notAfter(certificate), X509_get0_notAfter(issuer)) > 0)
    require(X509_set1_notAfter(certificate, X509_get0_notAfter(issuer)) == 1, "validity");
}

// `value` is in OpenSSL's notation. Never pass user input.
void add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "extension");
}

void add_host(GENERAL_NAMES* names, const std::string& host) {
  boost::system::error_code not_an_address;
  const ip::address address = ip::make_address(host, not_an_address);
  std::string bytes = host;
  if (!not_an_address && address.is_v4()) {
    const auto octets = address.to_v4().to_bytes();
    bytes.assign(octets.begin(), octets.end());
  } else if (!not_an_address) {
    const auto octets = address.to_v6().to_bytes();
    bytes.assign(octets.begin(), octets.end());
  }
  ASN1_STRING* value = ASN1_STRING_type_new(not_an_address ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING);
  GENERAL_NAME* name = GENERAL_NAME_new();
  require(
      value != nullptr && name != nullptr && ASN1_STRING_set(value, bytes.data(), static_cast<int>(bytes.size())) == 1,
      "host");
  GENERAL_NAME_set0_value(name, not_an_address ? GEN_DNS : GEN_IPADD, value);
  require(sk_GENERAL_NAME_push(names, name) > 0, "host");
}

void add_hosts(X509* certificate, const std::vector<std::string>& hosts) {
  const GeneralNamesPtr names(GENERAL_NAMES_new());
  require(names != nullptr, "hosts");
  for (const auto& host : hosts) add_host(names.get(), host);
  require(X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) == 1, "hosts");
}

CertificatePtr new_certificate(EVP_PKEY* key, const std::string& common_name) {
  CertificatePtr out(X509_new());
  require(out && X509_set_version(out.get(), kVersion3) == 1 && X509_set_pubkey(out.get(), key) == 1, "certificate");
  set_serial(out.get());
  set_common_name(X509_get_subject_name(out.get()), common_name);
  return out;
}

// Each authority has a unique name, so that a client that trusts several can distinguish them.
std::string new_authority_name() {
  unsigned char bytes[4];
  require(RAND_bytes(bytes, sizeof bytes) == 1, "name");
  std::string out = "rocktable local authority ";
  for (const unsigned char byte : bytes) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

CertificatePtr new_authority(EVP_PKEY* key) {
  CertificatePtr out = new_certificate(key, new_authority_name());
  X509* self = out.get();
  require(X509_set_issuer_name(self, X509_get_subject_name(self)) == 1, "issuer");
  set_validity(self, self, kAuthorityDays);
  add_extension(self, self, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(self, self, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(self, self, NID_subject_key_identifier, "hash");
  require(X509_sign(self, key, EVP_sha256()) > 0, "signature");
  return out;
}

// --- Files -------------------------------------------------------------------------------------------------

// Writes the file atomically. If another process wrote it first, keeps that file.
void write_once(const fs::path& path, const std::string& text, FileRights rights) {
  AtomicFile file(path, rights);
  file.write(text);
  if (!file.create_if_absent()) throw TlsError("cannot write " + path.string() + ": " + std::strerror(errno));
}

void make_authority(const fs::path& certificate_file, const fs::path& key_file) {
  constexpr fs::perms kFolderMode{0755};
  std::error_code error;
  fs::create_directories(certificate_file.parent_path(), error);
  if (error)
    throw TlsError("cannot create the folder " + certificate_file.parent_path().string() + ": " + error.message());
  fs::permissions(certificate_file.parent_path(), kFolderMode, error);  // independent of the umask
  // The key is written first. A start that was killed in between leaves a key without certificate, which is
  // reused here.
  if (!fs::exists(key_file, error)) write_once(key_file, pem_of(new_key().get()), FileRights::OwnerOnly);
  const KeyPtr key = parse_key(read_small_file("the private key", key_file.string()), key_file.string());
  write_once(certificate_file, pem_of(new_authority(key.get()).get()), FileRights::ReadableByAll);
}

// Anyone who can read the key can impersonate any server to the clients that trust the authority.
void warn_of_unsafe_key(const fs::path& key_file) {
  if (is_private(key_file)) return;
  spdlog::warn(
      "other users can read the private key {}, or one of them owns it; do not trust this certificate "
      "authority",
      key_file.string());
}

// Throws TlsError if the authority cannot sign.
void check_authority(X509* certificate, EVP_PKEY* key, const fs::path& file, const fs::path& key_file) {
  const std::string remedy =
      "; delete the folder " + file.parent_path().string() + " to create a new one, and let clients trust the new one";
  if (X509_check_private_key(certificate, key) != 1) {
    ERR_clear_error();
    throw TlsError("the private key " + key_file.string() + " does not match the certificate authority " +
                   file.string() + remedy);
  }
  if (X509_check_ca(certificate) != 1 || X509_verify(certificate, key) != 1) {
    ERR_clear_error();
    throw TlsError("the certificate authority " + file.string() + " is damaged" + remedy);
  }
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0)
    throw TlsError("the certificate authority " + file.string() + " has expired" + remedy);
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0)
    throw TlsError("the certificate authority " + file.string() + " is not valid yet: is this machine's clock right?" +
                   remedy);
}

}  // namespace

CertificateAuthority::CertificateAuthority(const fs::path& folder)
    : file_((fs::absolute(folder) / "ca.pem").lexically_normal()) {
  const fs::path key_file = file_.parent_path() / "ca-key.pem";
  std::error_code error;
  if (!fs::exists(file_, error)) make_authority(file_, key_file);
  keep_out_of_git(file_.parent_path());
  certificate_ =
      parse_certificates(read_small_file("the certificate authority", file_.string()), file_.string()).certificate;
  key_ = parse_key(read_small_file("the private key", key_file.string()), key_file.string());
  check_authority(certificate_.get(), key_.get(), file_, key_file);
  warn_of_unsafe_key(key_file);
}

Identity CertificateAuthority::issue(const std::vector<std::string>& hosts) const {
  return issue(hosts, kCertificateDays);
}

// It would begin and end an hour ago.
Identity CertificateAuthority::issue_expired(const std::vector<std::string>& hosts) const { return issue(hosts, 0); }

Identity CertificateAuthority::issue(const std::vector<std::string>& hosts, int days) const {
  Identity out;
  out.key = new_key();
  out.certificate = new_certificate(out.key.get(), "localhost");
  X509* certificate = out.certificate.get();
  require(X509_set_issuer_name(certificate, X509_get_subject_name(certificate_.get())) == 1, "issuer");
  set_validity(certificate, certificate_.get(), days);
  add_extension(certificate, certificate_.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate, certificate_.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(certificate, certificate_.get(), NID_ext_key_usage, "serverAuth");
  add_extension(certificate, certificate_.get(), NID_subject_key_identifier, "hash");
  add_extension(certificate, certificate_.get(), NID_authority_key_identifier, "keyid:always");
  add_hosts(certificate, hosts);
  require(X509_sign(certificate, key_.get(), EVP_sha256()) > 0, "signature");
  return out;
}

}  // namespace rocktable
