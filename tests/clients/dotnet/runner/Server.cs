using System.Diagnostics;
using System.Text.Json;

namespace Rocktable.Clients;

// The server under test: one of ours, in memory on a free port, or the one that ROCKTABLE_TEST_CONNECTION_STRING names.
internal sealed class Server : IDisposable
{
    private static readonly TimeSpan StartDeadline = TimeSpan.FromSeconds(20);

    private readonly Process? process;

    private Server(Process? process, string connectionString)
    {
        this.process = process;
        Account = new Account(connectionString);
    }

    public Account Account { get; }

    public static Server StartOrConnect()
    {
        var given = Environment.GetEnvironmentVariable("ROCKTABLE_TEST_CONNECTION_STRING");
        if (!string.IsNullOrEmpty(given)) return new Server(null, given);

        var binary = Environment.GetEnvironmentVariable("ROCKTABLE_BINARY")
            ?? throw new InvalidOperationException("ROCKTABLE_BINARY names no server to start");
        var folder = Directory.CreateTempSubdirectory("rocktable-dotnet-").FullName;
        try
        {
            var ready = Path.Combine(folder, "ready.json");
            string[] flags = ["--inMemoryPersistence", "--tablePort", "0", "--silent", "--readyFile", ready];
            var process = Process.Start(new ProcessStartInfo(binary, flags) { RedirectStandardOutput = true })!;
            return new Server(process, ConnectionString(process, ready));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string ConnectionString(Process process, string ready)
    {
        var watch = Stopwatch.StartNew();
        while (!File.Exists(ready))
        {
            if (process.HasExited) throw new InvalidOperationException("the server ended instead of starting");
            if (watch.Elapsed > StartDeadline)
            {
                process.Kill();
                throw new TimeoutException("the server did not get ready");
            }
            Thread.Sleep(5);
        }
        using var answer = JsonDocument.Parse(File.ReadAllBytes(ready));
        return answer.RootElement.GetProperty("connectionString").GetString()!;
    }

    public void Dispose()
    {
        if (process is null) return;
        process.Kill();
        process.WaitForExit();
        process.Dispose();
    }
}
