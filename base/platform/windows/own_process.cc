#include "base/platform/own_process.h"

#include <fcntl.h>
#include <io.h>

#include <cwchar>
#include <vector>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

constexpr DWORD kStillActive = 259;

// So that escape sequences of colours and progress work.
void let_terminals_interpret(DWORD stream) {
  const HANDLE console = GetStdHandle(stream);
  DWORD mode = 0;
  if (GetConsoleMode(console, &mode) != 0) SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

// The arguments as UTF-8, whatever the code page of the process: systems before Windows 10 1903 ignore the one that the
// manifest asks for.
void replace_arguments(int& argc, char**& argv) {
  int count = 0;
  wchar_t** const wide = CommandLineToArgvW(GetCommandLineW(), &count);
  if (wide == nullptr) return;
  static std::vector<std::string> texts;
  static std::vector<char*> pointers;
  for (int i = 0; i < count; ++i) texts.push_back(to_utf8(wide[i]));
  LocalFree(wide);
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  argc = count;
  argv = pointers.data();
}

}  // namespace

void prepare_process(int& argc, char**& argv) {
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);  // no window that waits for somebody to click
  for (const int descriptor : {0, 1, 2}) _setmode(descriptor, _O_BINARY);
  for (const DWORD stream : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) let_terminals_interpret(stream);
  SetConsoleOutputCP(CP_UTF8);
  replace_arguments(argc, argv);
}

std::vector<std::string> environment_names() {
  std::vector<std::string> out;
  wchar_t* const block = GetEnvironmentStringsW();
  if (block == nullptr) return out;
  for (const wchar_t* entry = block; *entry != L'\0'; entry += std::wcslen(entry) + 1) {
    const std::wstring_view text(entry);
    std::string name = to_utf8(text.substr(0, text.find(L'=', 1)));  // names of hidden ones, as `=C:`, begin with it
    for (char& c : name)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    out.push_back(std::move(name));
  }
  FreeEnvironmentStringsW(block);
  return out;
}

std::int64_t process_id() { return GetCurrentProcessId(); }

std::string host_name() {
  wchar_t name[256];
  DWORD size = 256;
  return GetComputerNameExW(ComputerNameDnsHostname, name, &size) != 0 ? to_utf8({name, size}) : std::string();
}

bool is_running(std::int64_t process) {
  const Handle handle(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(process)));
  if (!handle) return GetLastError() != ERROR_INVALID_PARAMETER;  // no process has this number
  DWORD code = 0;
  return GetExitCodeProcess(handle.get(), &code) == 0 || code == kStillActive;
}

}  // namespace rocktable
