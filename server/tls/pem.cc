#include "server/tls/pem.h"

#include <openssl/pem.h>

namespace rocktable {
namespace {

template <class Write>
std::string written_by(const Write& write) {
  const BioPtr out(BIO_new(BIO_s_mem()));
  if (!out || write(out.get()) != 1) throw TlsError("cannot write PEM: " + openssl_reason());
  char* data = nullptr;
  const long length = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(length)};
}

}  // namespace

std::string pem_of(EVP_PKEY* key) {
  return written_by(
      [&](BIO* out) { return PEM_write_bio_PKCS8PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

std::string pem_of(X509* certificate) {
  return written_by([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

std::string certificates_pem(const Identity& identity) {
  std::string out = pem_of(identity.certificate.get());
  for (int i = 0; i < sk_X509_num(identity.chain.get()); ++i) out += pem_of(sk_X509_value(identity.chain.get(), i));
  return out;
}

}  // namespace rocktable
