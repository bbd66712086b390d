using System;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;

namespace Rocktable.Testing;

// Finds the program: the one in ROCKTABLE_BINARY, or that of the package Rocktable.Native.* for this machine. The
// runtime selects the folders of native files by the dependencies of the application, for all ways to build and publish
// it.
internal static class NativeProgram
{
    private static readonly bool OnWindows = RuntimeInformation.IsOSPlatform(OSPlatform.Windows);

    public static string Find()
    {
        var given = Environment.GetEnvironmentVariable("ROCKTABLE_BINARY");
        if (!string.IsNullOrEmpty(given)) return given!;
        var folders = AppContext.GetData("NATIVE_DLL_SEARCH_DIRECTORIES") as string ?? "";
        return folders.Split(Path.PathSeparator).Append(AppContext.BaseDirectory)
                   .Select(folder => Path.Combine(folder, OnWindows ? "rocktable.exe" : "rocktable")).FirstOrDefault(File.Exists)
               ?? throw new RocktableException(
                   "the program rocktable is missing: there are packages for linux-x64, linux-arm64 and win-x64; on "
                   + "other systems use the container image; ROCKTABLE_BINARY names a program of your own");
    }
}
