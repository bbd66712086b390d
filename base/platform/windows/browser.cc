#include "base/platform/browser.h"

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {

bool open_in_browser(const std::string& address, const std::string& chosen) {
  constexpr INT_PTR kFailures = 32;  // results up to this are errors
  const std::wstring where = to_wide(address), program = to_wide(chosen);
  const auto open = [](const wchar_t* what, const wchar_t* argument) {
    return reinterpret_cast<INT_PTR>(ShellExecuteW(nullptr, L"open", what, argument, nullptr, SW_SHOWNORMAL)) >
           kFailures;
  };
  return (!program.empty() && open(program.c_str(), where.c_str())) || open(where.c_str(), nullptr);
}

}  // namespace rocktable
