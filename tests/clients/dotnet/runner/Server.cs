using System.Diagnostics;
using System.Text.Json;

namespace Rocktable.Clients;

// The server under test: one of ours on a free port, or the one that ROCKTABLE_TEST_CONNECTION_STRING names. Ours keeps its
// data in memory; or in a database of its own, if ROCKTABLE_TEST_STORE names a PostgreSQL server (support/postgres.py).
internal sealed class Server : IDisposable
{
    private static readonly TimeSpan StartDeadline = TimeSpan.FromSeconds(20);

    private readonly Process? process;

    private static int databases;

    private readonly string? database;

    private Server(Process? process, string connectionString, string? database = null)
    {
        this.process = process;
        this.database = database;
        Account = new Account(connectionString);
    }

    public Account Account { get; }

    // Whether the server is not ours, so that no other can be started.
    public static bool IsGiven => !string.IsNullOrEmpty(Given);

    private static string? Given => Environment.GetEnvironmentVariable("ROCKTABLE_TEST_CONNECTION_STRING");

    // The file of the authority that signed its certificate, if it speaks HTTPS.
    public string? CertificateAuthority { get; private init; }

    public static Server StartOrConnect() => IsGiven ? new Server(null, Given!) : Start();

    // One of ours, with further options.
    public static Server Start(params string[] options)
    {
        var binary = Environment.GetEnvironmentVariable("ROCKTABLE_BINARY")
            ?? throw new InvalidOperationException("ROCKTABLE_BINARY names no server to start");
        var folder = Directory.CreateTempSubdirectory("rocktable-dotnet-").FullName;
        try
        {
            var ready = Path.Combine(folder, "ready.json");
            var database = DatabaseServer is null ? null : $"test_dotnet_{Environment.ProcessId}_{Interlocked.Increment(ref databases)}";
            if (database is not null) Sql($"CREATE DATABASE {database}");
            string[] storage = database is null ? ["--inMemoryPersistence"] : ["--store", Url(database)];
            string[] flags = [.. storage, "--tablePort", "0", "--silent", "--readyFile", ready, .. options];
            var process = Process.Start(new ProcessStartInfo(binary, flags) { RedirectStandardOutput = true })!;
            var told = Told(process, ready);
            var authority = told.TryGetProperty("certificateAuthority", out var file) ? file.GetString() : null;
            return new Server(process, told.GetProperty("connectionString").GetString()!, database) { CertificateAuthority = authority };
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string? DatabaseServer => Environment.GetEnvironmentVariable("ROCKTABLE_TEST_STORE");

    private static string Url(string database) => new UriBuilder(DatabaseServer!) { Path = database }.Uri.ToString();

    private static void Sql(string statement)
    {
        string[] words = ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--command", statement, DatabaseServer!];
        using var psql = Process.Start("psql", words);
        psql.WaitForExit();
        if (psql.ExitCode != 0) throw new InvalidOperationException($"psql refuses: {statement}");
    }

    // What the server writes when it is ready.
    private static JsonElement Told(Process process, string ready)
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
        return answer.RootElement.Clone();
    }

    public void Dispose()
    {
        if (process is null) return;
        process.Kill();
        process.WaitForExit();
        process.Dispose();
        if (database is not null) Sql($"DROP DATABASE {database} WITH (FORCE)");
    }
}
