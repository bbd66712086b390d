// The system's headers, and what all files here need of them.
#pragma once

#ifndef UNICODE
#define UNICODE
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif

// clang-format off: their order counts
#include <winsock2.h>
#include <windows.h>
#include <wincrypt.h>
#include <aclapi.h>
#include <iphlpapi.h>
#include <sddl.h>
#include <shellapi.h>
// clang-format on

#include <string>
#include <string_view>
#include <utility>

namespace rocktable {

// UTF-8 as the system's UTF-16, and back. What cannot be converted becomes U+FFFD.
std::wstring to_wide(std::string_view text);
std::string to_utf8(std::wstring_view text);

// A part of a name that nobody can predict.
std::wstring random_letters();

// Sets errno to what means the same as an error of the system. Returns false.
bool set_errno(DWORD error = GetLastError());

// Throws std::system_error with the last error.
[[noreturn]] void fail_with_last_error(const char* what);

// Security attributes of an object that its owner, the system and administrators may use, and nobody else.
class OwnerOnly {
 public:
  // `is_folder`: what is created in it is likewise.
  explicit OwnerOnly(bool is_folder = false);
  ~OwnerOnly();
  OwnerOnly(const OwnerOnly&) = delete;
  OwnerOnly& operator=(const OwnerOnly&) = delete;

  // Null if the system does not say who the user is.
  SECURITY_ATTRIBUTES* get() { return attributes_.lpSecurityDescriptor == nullptr ? nullptr : &attributes_; }

 private:
  SECURITY_ATTRIBUTES attributes_{};
};

// Owns a handle.
class Handle {
 public:
  explicit Handle(HANDLE handle = nullptr) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  ~Handle() { close(); }
  Handle(Handle&& other) noexcept : handle_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      close();
      handle_ = other.release();
    }
    return *this;
  }

  HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  HANDLE release() { return std::exchange(handle_, nullptr); }
  void close() {
    if (handle_ != nullptr) CloseHandle(std::exchange(handle_, nullptr));
  }

 private:
  HANDLE handle_;
};

// A handle of the same object that child processes inherit, or do not.
Handle duplicate(HANDLE handle, bool is_inherited);

}  // namespace rocktable
