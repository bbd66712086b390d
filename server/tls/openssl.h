// Owners for OpenSSL objects, OpenSSL errors as text, and Identity: certificate and key of a server.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace rocktable {

// HTTPS cannot be served. The message is for the user and names the file. It never contains a password.
class TlsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <auto Free>
struct OpenSslDeleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

inline void free_certificates(STACK_OF(X509) * certificates) { sk_X509_pop_free(certificates, X509_free); }

using BioPtr = std::unique_ptr<BIO, OpenSslDeleter<BIO_free>>;
using CertificatePtr = std::unique_ptr<X509, OpenSslDeleter<X509_free>>;
using CertificatesPtr = std::unique_ptr<STACK_OF(X509), OpenSslDeleter<free_certificates>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslDeleter<EVP_PKEY_free>>;
using Pkcs12Ptr = std::unique_ptr<PKCS12, OpenSslDeleter<PKCS12_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, OpenSslDeleter<X509_EXTENSION_free>>;
using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, OpenSslDeleter<GENERAL_NAMES_free>>;
using BigNumberPtr = std::unique_ptr<BIGNUM, OpenSslDeleter<BN_free>>;

// The certificate that a server presents, with its private key.
struct Identity {
  CertificatePtr certificate;
  KeyPtr key;
  CertificatesPtr chain;  // intermediate certificates, issuer first; null: none
};

// Returns OpenSSL's reason of the last failure on this thread. Clears the error queue.
inline std::string openssl_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "no reason given";
}

// Returns a BIO that reads `text`. `text` must outlive it.
inline BioPtr reader_of(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

}  // namespace rocktable
