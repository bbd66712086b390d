using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Diagnostics;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Rocktable.Testing;

// A server that stops when its standard input ends: the kernel closes the pipe also if this process is killed.
internal sealed class ServerProcess : IDisposable
{
    private const int StopMilliseconds = 10_000;

    private readonly Process process;
    private readonly List<string> errors = new();  // written by one thread, read when it has ended

    private ServerProcess(Process process) => this.process = process;

    // The members of the ready document.
    public JsonElement Ready { get; private set; }

    // Returns when the server answers.
    public static async Task<ServerProcess> StartAsync(IEnumerable<string> flags, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var server = Start(flags.Concat(["--readyFile=-", "--stopAtInputEnd"]));
        try
        {
            using (cancellation.Register(server.process.Kill))
            {
                var line = await server.process.StandardOutput.ReadLineAsync().ConfigureAwait(false);
                cancellation.ThrowIfCancellationRequested();
                using var document = JsonDocument.Parse(line ?? throw server.Failure());
                server.Ready = document.RootElement.Clone();
            }
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        process.StandardInput.Close();
        if (!process.WaitForExit(StopMilliseconds)) process.Kill();
        process.Dispose();
    }

    private static ServerProcess Start(IEnumerable<string> words)
    {
        var program = NativeProgram.Find();
        var start = new ProcessStartInfo(program, string.Join(" ", words.Select(Quoted)))
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            StandardOutputEncoding = Encoding.UTF8,
            StandardErrorEncoding = Encoding.UTF8,
            CreateNoWindow = true,  // on Windows, a console of its own: Ctrl-C does not stop it before the tests end
        };
        // No variable configures the server. On Windows, their case does not count.
        var ours = start.Environment.Keys.Where(
            name => name.StartsWith("ROCKTABLE_", StringComparison.OrdinalIgnoreCase));
        foreach (var name in ours.ToList()) start.Environment.Remove(name);

        var server = new ServerProcess(new Process { StartInfo = start });
        server.process.ErrorDataReceived += (_, told) => server.errors.Add(told.Data ?? "");
        try
        {
            server.process.Start();
        }
        catch (Win32Exception error)
        {
            server.process.Dispose();
            throw new RocktableException($"{program} cannot be executed: {error.Message}", inner: error);
        }
        server.process.BeginErrorReadLine();
        return server;
    }

    // Warnings precede the sentence that says why the server could not start.
    private RocktableException Failure()
    {
        process.WaitForExit();  // also until all of standard error is read
        var sentence = errors.LastOrDefault(line => line.Length > 0);
        return new(sentence is null
            ? $"the server ended with exit code {process.ExitCode}"
            : Regex.Replace(sentence, "^rocktable: ", ""));
    }

    // One word of a command line, by the rules of ProcessStartInfo.Arguments: a quotation mark needs a backslash, and
    // backslashes before a quotation mark are doubled. ArgumentList does not exist in .NET Standard 2.0.
    private static string Quoted(string word) =>
        "\"" + Regex.Replace(Regex.Replace(word, "(\\\\*)\"", "$1$1\\\""), @"(\\+)\z", "$1$1") + "\"";
}
