#include "server/tls/tls.h"

#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

namespace rocktable {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::size_t kMaxCertificateBytes = 1 << 20;

// Ciphers of TLS 1.2 with forward secrecy. All ciphers of TLS 1.3 are good.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

// The supported application protocols in the format of RFC 7301 (ALPN): length and name of each.
constexpr std::string_view kProtocols = "\x08http/1.1\x08http/1.0";

// Passphrase callback: records that a passphrase is needed. Without it OpenSSL would prompt at the terminal.
int notice_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

// Selects HTTP/1.1 or 1.0 if the client offers it. If the client offers only other protocols (HTTP/2), sends
// an alert.
int select_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_length, const unsigned char* offered,
                    unsigned int offered_length, void*) {
  unsigned char* out = nullptr;
  const int outcome =
      SSL_select_next_proto(&out, chosen_length, reinterpret_cast<const unsigned char*>(kProtocols.data()),
                            static_cast<unsigned int>(kProtocols.size()), offered, offered_length);
  *chosen = out;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

void check_fit(const Identity& identity, const std::string& certificate_file, const std::string& key_file) {
  if (X509_check_private_key(identity.certificate.get(), identity.key.get()) == 1) return;
  ERR_clear_error();
  throw TlsError("the private key " + key_file + " does not match the certificate " + certificate_file);
}

// --- PKCS#12 -----------------------------------------------------------------------------------------------

// Loads OpenSSL's legacy provider during its lifetime: old tools encrypt PFX files with RC2 and RC4.
class LegacyAlgorithms {
 public:
  LegacyAlgorithms() : provider_(OSSL_PROVIDER_try_load(nullptr, "legacy", 1)) {}
  ~LegacyAlgorithms() {
    if (provider_ != nullptr) OSSL_PROVIDER_unload(provider_);
  }
  LegacyAlgorithms(const LegacyAlgorithms&) = delete;
  LegacyAlgorithms& operator=(const LegacyAlgorithms&) = delete;

 private:
  OSSL_PROVIDER* provider_;
};

// Returns true if the password is certainly wrong. Without a MAC, only reading the contents shows that.
bool has_other_password(PKCS12* pfx, const std::string& password) {
  ERR_clear_error();
  const bool fits = !PKCS12_mac_present(pfx) || PKCS12_verify_mac(pfx, password.c_str(), -1) == 1 ||
                    (password.empty() && PKCS12_verify_mac(pfx, nullptr, 0) == 1);
  return !fits && ERR_peek_error() == 0;  // an error: it could not be computed
}

// Returns the contents. If they cannot be read, returns nullopt and leaves the reason in OpenSSL's error
// queue.
std::optional<Identity> contents_of(PKCS12* pfx, const std::string& password) {
  ERR_clear_error();
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
  STACK_OF(X509)* chain = nullptr;
  if (PKCS12_parse(pfx, password.c_str(), &key, &certificate, &chain) != 1) return std::nullopt;
  return Identity{CertificatePtr(certificate), KeyPtr(key), CertificatesPtr(chain)};
}

// --- The context -------------------------------------------------------------------------------------------

// Sends the intermediate certificates in order, each after the certificate that it signed, independent of
// their order in the file. Does not send the root: a client either has it or does not trust it.
bool use_identity(SSL_CTX* context, const Identity& identity) {
  if (SSL_CTX_use_cert_and_key(context, identity.certificate.get(), identity.key.get(), identity.chain.get(), 1) != 1)
    return false;
  if (sk_X509_num(identity.chain.get()) <= 0) return true;
  return SSL_CTX_build_cert_chain(context, SSL_BUILD_CHAIN_FLAG_CHECK | SSL_BUILD_CHAIN_FLAG_NO_ROOT |
                                               SSL_BUILD_CHAIN_FLAG_IGNORE_ERROR | SSL_BUILD_CHAIN_FLAG_CLEAR_ERROR) >
         0;
}

}  // namespace

std::string read_small_file(const std::string& what, const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string out(kMaxCertificateBytes + 1, '\0');
  if (in) in.read(out.data(), static_cast<std::streamsize>(out.size()));
  if (!in.is_open() || in.bad()) throw TlsError("cannot read " + what + " " + file + ": " + std::strerror(errno));
  out.resize(static_cast<std::size_t>(in.gcount()));
  if (out.size() > kMaxCertificateBytes) throw TlsError("cannot read " + what + " " + file + ": it is too large");
  return out;
}

Identity parse_certificates(const std::string& text, const std::string& file) {
  ERR_clear_error();
  const BioPtr in = reader_of(text);
  Identity out;
  out.certificate.reset(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  if (!out.certificate)
    throw TlsError("the file " + file + " contains no certificate in PEM form: " + openssl_reason());
  out.chain.reset(sk_X509_new_null());
  while (X509* next = PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)) sk_X509_push(out.chain.get(), next);
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
    throw TlsError("the file " + file + " contains a damaged certificate: " + openssl_reason());
  ERR_clear_error();
  return out;
}

KeyPtr parse_key(const std::string& text, const std::string& file) {
  ERR_clear_error();
  bool encrypted = false;
  KeyPtr key(PEM_read_bio_PrivateKey(reader_of(text).get(), nullptr, notice_passphrase, &encrypted));
  if (key) return key;
  const std::string reason = openssl_reason();
  if (encrypted)
    throw TlsError("the private key " + file + " is encrypted; use a key without passphrase, or a PFX file with --pwd");
  throw TlsError("the file " + file + " contains no private key in PEM form: " + reason);
}

Identity read_pem(const std::string& certificate_file, const std::string& key_file) {
  Identity out = parse_certificates(read_small_file("the certificate", certificate_file), certificate_file);
  out.key = parse_key(read_small_file("the private key", key_file), key_file);
  check_fit(out, certificate_file, key_file);
  return out;
}

Identity read_pfx(const std::string& file, const std::string& password) {
  const std::string bytes = read_small_file("the PFX file", file);
  const Pkcs12Ptr pfx(d2i_PKCS12_bio(reader_of(bytes).get(), nullptr));
  if (!pfx) throw TlsError("the file " + file + " is not in PFX form: " + openssl_reason());
  if (has_other_password(pfx.get(), password))
    throw TlsError("the PFX file " + file + " has another password than --pwd");
  auto out = contents_of(pfx.get(), password);
  if (!out) {
    const LegacyAlgorithms legacy;
    out = contents_of(pfx.get(), password);
  }
  if (!out) {
    throw TlsError("the PFX file " + file + " cannot be read: " + openssl_reason() +
                   " (also with OpenSSL's legacy algorithms, if installed)");
  }
  if (!out->certificate || !out->key)
    throw TlsError("the PFX file " + file + " lacks a certificate with its private key");
  check_fit(*out, file, file);
  return std::move(*out);
}

ssl::context tls_context(const Identity& identity, const std::string& source) {
  ssl::context out(ssl::context::tls_server);
  SSL_CTX* context = out.native_handle();
  ERR_clear_error();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);          // an idle connection keeps no record buffers
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // session tickets make a cache unnecessary
  SSL_CTX_set_alpn_select_cb(context, select_protocol, nullptr);
  if (SSL_CTX_set_cipher_list(context, kCiphers) != 1)
    throw TlsError("this version of OpenSSL has no ciphers for HTTPS: " + openssl_reason());
  if (!use_identity(context, identity)) throw TlsError("cannot serve HTTPS with " + source + ": " + openssl_reason());
  return out;
}

}  // namespace rocktable
