// What happens to a TLS handshake that is to fail.
#pragma once

namespace rocktable {

enum class HandshakeFault {
  None,
  Refuse,     // a fatal alert
  Cut,        // the connection ends without one
  Expired,    // the certificate has expired
  OtherName,  // it is for another name
};

}  // namespace rocktable
