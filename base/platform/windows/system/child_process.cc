#include "base/platform/windows/system/child_process.h"

#include <vector>

namespace rocktable {
namespace {

// A list of the handles that a child inherits, for CreateProcess.
class InheritedHandles {
 public:
  explicit InheritedHandles(std::vector<HANDLE> handles) : handles_(std::move(handles)) {
    std::erase(handles_, nullptr);
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    bytes_.resize(size);
    if (InitializeProcThreadAttributeList(get(), 1, 0, &size) == 0) fail_with_last_error("cannot start a process");
    if (!handles_.empty())
      UpdateProcThreadAttribute(get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                handles_.size() * sizeof(HANDLE), nullptr, nullptr);
  }
  ~InheritedHandles() { DeleteProcThreadAttributeList(get()); }
  InheritedHandles(const InheritedHandles&) = delete;
  InheritedHandles& operator=(const InheritedHandles&) = delete;

  LPPROC_THREAD_ATTRIBUTE_LIST get() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(bytes_.data()); }

 private:
  std::vector<HANDLE> handles_;
  std::vector<unsigned char> bytes_;
};

}  // namespace

Streams Streams::of_this_process() {
  return {duplicate(GetStdHandle(STD_INPUT_HANDLE), true), duplicate(GetStdHandle(STD_OUTPUT_HANDLE), true),
          duplicate(GetStdHandle(STD_ERROR_HANDLE), true)};
}

PROCESS_INFORMATION create_process(const WindowsCommand& command, const Streams& streams, HANDLE further,
                                   std::wstring environment, DWORD flags) {
  InheritedHandles handles({streams.input.get(), streams.output.get(), streams.error.get(), further});
  STARTUPINFOEXW start{};
  start.StartupInfo.cb = sizeof start;
  start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  start.StartupInfo.hStdInput = streams.input.get();
  start.StartupInfo.hStdOutput = streams.output.get();
  start.StartupInfo.hStdError = streams.error.get();
  start.lpAttributeList = handles.get();
  std::wstring line = command.line;
  PROCESS_INFORMATION out{};
  CreateProcessW(command.program.c_str(), line.data(), nullptr, nullptr, TRUE,
                 flags | CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT,
                 environment.data(), nullptr, &start.StartupInfo, &out);
  return out;
}

std::pair<Handle, Handle> make_pipe() {
  HANDLE read = nullptr, write = nullptr;
  if (CreatePipe(&read, &write, nullptr, 0) == 0) fail_with_last_error("cannot create a pipe");
  return {Handle(read), Handle(write)};
}

Handle make_job() {
  Handle job(CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (!job || SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits) == 0)
    fail_with_last_error("cannot create a job");
  return job;
}

}  // namespace rocktable
