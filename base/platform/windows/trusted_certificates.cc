#include "base/platform/trusted_certificates.h"

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {

std::vector<std::string> trusted_certificates() {
  std::vector<std::string> out;
  const HCERTSTORE store = CertOpenSystemStoreW(0, L"ROOT");
  if (store == nullptr) return out;
  for (PCCERT_CONTEXT one = nullptr; (one = CertEnumCertificatesInStore(store, one)) != nullptr;)
    if ((one->dwCertEncodingType & X509_ASN_ENCODING) != 0)
      out.emplace_back(reinterpret_cast<const char*>(one->pbCertEncoded), one->cbCertEncoded);
  CertCloseStore(store, 0);
  return out;
}

}  // namespace rocktable
