#include "base/platform/windows/system/windows_api.h"

#include <array>
#include <cerrno>
#include <random>
#include <system_error>
#include <vector>

namespace rocktable {
namespace {

int errno_of(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_PRIVILEGE_NOT_HELD:
      return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
      return EPIPE;
    case ERROR_DIRECTORY:
      return ENOTDIR;
    case ERROR_DIR_NOT_EMPTY:
      return ENOTEMPTY;
    case ERROR_NOT_SAME_DEVICE:
      return EXDEV;
    case ERROR_TOO_MANY_LINKS:
      return EMLINK;
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    case ERROR_FILENAME_EXCED_RANGE:
      return ENAMETOOLONG;
    case ERROR_WRITE_PROTECT:
      return EROFS;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return ENOMEM;
    case ERROR_INVALID_FUNCTION:
    case ERROR_NOT_SUPPORTED:
      return ENOSYS;
    case ERROR_INVALID_HANDLE:
      return EBADF;
    case ERROR_INVALID_PARAMETER:
      return EINVAL;
    default:
      return EIO;
  }
}

// The security identifier of the user, as text; empty if it is unknown.
std::wstring user_identifier() {
  HANDLE opened = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &opened) == 0) return {};
  const Handle token(opened);
  DWORD size = 0;
  GetTokenInformation(token.get(), TokenUser, nullptr, 0, &size);
  std::vector<unsigned char> bytes(size);
  if (GetTokenInformation(token.get(), TokenUser, bytes.data(), size, &size) == 0) return {};
  wchar_t* text = nullptr;
  if (ConvertSidToStringSidW(reinterpret_cast<TOKEN_USER*>(bytes.data())->User.Sid, &text) == 0) return {};
  std::wstring out = text;
  LocalFree(text);
  return out;
}

}  // namespace

std::wstring to_wide(std::string_view text) {
  const int size = static_cast<int>(text.size());
  std::wstring out(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), size, out.data(), static_cast<int>(out.size()));
  return out;
}

std::string to_utf8(std::wstring_view text) {
  const int size = static_cast<int>(text.size());
  const int needed = WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<std::size_t>(needed), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), size, out.data(), needed, nullptr, nullptr);
  return out;
}

std::wstring random_letters() {
  constexpr std::wstring_view kLetters = L"abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kLength = 12;
  std::random_device random;  // of the system, for secrets
  std::uniform_int_distribution<std::size_t> letter(0, kLetters.size() - 1);
  std::wstring out;
  for (int i = 0; i < kLength; ++i) out += kLetters[letter(random)];
  return out;
}

bool set_errno(DWORD error) {
  errno = errno_of(error);
  return false;
}

void fail_with_last_error(const char* what) {
  throw std::system_error(static_cast<int>(GetLastError()), std::system_category(), what);
}

// SDDL: a protected list, which inherits nothing; full access for SYSTEM, administrators, and the user.
OwnerOnly::OwnerOnly(bool is_folder) {
  const std::wstring user = user_identifier();
  if (user.empty()) return;
  const std::wstring grant = is_folder ? L"(A;OICI;FA;;;" : L"(A;;FA;;;";
  const std::wstring list = L"D:P" + grant + L"SY)" + grant + L"BA)" + grant + user + L")";
  attributes_.nLength = sizeof attributes_;
  ConvertStringSecurityDescriptorToSecurityDescriptorW(list.c_str(), SDDL_REVISION_1, &attributes_.lpSecurityDescriptor,
                                                       nullptr);
}

OwnerOnly::~OwnerOnly() { LocalFree(attributes_.lpSecurityDescriptor); }

Handle duplicate(HANDLE handle, bool is_inherited) {
  if (handle == nullptr || handle == INVALID_HANDLE_VALUE) return Handle();
  HANDLE out = nullptr;
  const HANDLE self = GetCurrentProcess();
  if (DuplicateHandle(self, handle, self, &out, 0, is_inherited ? TRUE : FALSE, DUPLICATE_SAME_ACCESS) == 0)
    return Handle();
  return Handle(out);
}

}  // namespace rocktable
