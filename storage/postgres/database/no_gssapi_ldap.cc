// The functions of GSSAPI and LDAP that a static libpq refers to. Debian has no static libraries of them. All of them
// fail, so that libpq reports an error if a server demands Kerberos, or if a service file names a directory. Passwords,
// certificates, TLS and other service files do not use them.
//
// The headers would need two more packages. The declarations are those of RFC 2744 and of OpenLDAP, as far as libpq
// looks into them; parameters that no function reads are left out.
#include <cstddef>
#include <cstdint>

namespace {

struct Buffer {  // gss_buffer_desc
  std::size_t length;
  void* value;
};

constexpr std::uint32_t kUnavailable = 16U << 16;  // GSS_S_UNAVAILABLE
constexpr int kStatusOfGssapi = 1;                 // GSS_C_GSS_CODE
constexpr int kLdapNotSupported = -12;             // LDAP_NOT_SUPPORTED

char not_available[] = "not available";
char no_gssapi[] = "rocktable does not support GSSAPI";
char no_ldap[] = "rocktable does not support LDAP";

}  // namespace

extern "C" {

// GSSAPI. libpq asks for credentials first, then imports a name; both fail.

// NOLINTBEGIN(readability-identifier-naming): the names are GSSAPI's
extern const void* const GSS_C_NT_HOSTBASED_SERVICE;
const void* const GSS_C_NT_HOSTBASED_SERVICE = nullptr;
// NOLINTEND(readability-identifier-naming)

std::uint32_t gss_acquire_cred() { return kUnavailable; }
std::uint32_t gss_import_name() { return kUnavailable; }
std::uint32_t gss_init_sec_context() { return kUnavailable; }
std::uint32_t gss_unwrap() { return kUnavailable; }
std::uint32_t gss_wrap() { return kUnavailable; }
std::uint32_t gss_wrap_size_limit() { return kUnavailable; }
std::uint32_t gss_delete_sec_context() { return 0; }
std::uint32_t gss_release_cred() { return 0; }
std::uint32_t gss_release_name() { return 0; }

// libpq shows the text of GSSAPI's code, then the text of the mechanism's.
std::uint32_t gss_display_status(std::uint32_t* minor, std::uint32_t, int kind, const void*, std::uint32_t* next,
                                 Buffer* text) {
  *minor = 0;
  *next = 0;
  text->value = kind == kStatusOfGssapi ? not_available : no_gssapi;
  text->length = kind == kStatusOfGssapi ? sizeof not_available - 1 : sizeof no_gssapi - 1;
  return 0;
}
std::uint32_t gss_release_buffer(std::uint32_t*, Buffer*) { return 0; }

// LDAP. libpq gives up if ldap_init() returns nothing, and calls no other function then.

void* ldap_init() { return nullptr; }
char* ldap_err2string(int) { return no_ldap; }
void* ldap_first_entry() { return nullptr; }
void* ldap_get_values_len() { return nullptr; }
int ldap_count_entries() { return -1; }
int ldap_msgfree() { return 0; }
int ldap_result() { return -1; }
int ldap_search_st() { return kLdapNotSupported; }
int ldap_set_option() { return -1; }
int ldap_simple_bind() { return -1; }
int ldap_unbind() { return 0; }
void ldap_value_free_len() {}

}  // extern "C"
