using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace Rocktable.Testing;

/// <summary>
/// A server for tests. It listens on a free port of this machine. It stops when it is disposed of, and when the
/// process that started it ends, also if that process is killed.
/// </summary>
/// <example><code>
/// await using var server = await RocktableServer.StartAsync(new() { Seed = "seed" });
/// var account = await server.CreateAccountAsync();
/// </code></example>
public sealed class RocktableServer : IAsyncDisposable, IDisposable
{
    // The well-known key, which is public.
    private const string Key =
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private readonly ServerProcess process;
    private readonly HttpClient http;
    private IReadOnlyList<string> templates = [];

    private RocktableServer(ServerProcess process, string? controlToken)
    {
        this.process = process;
        http = new HttpClient(ControlConnection.Handler(CertificateAuthority)) { Timeout = Timeout.InfiniteTimeSpan };
        if (controlToken != null) http.DefaultRequestHeaders.Authorization = new("Bearer", controlToken);
    }

    /// <summary>Of the first account, usually devstoreaccount1.</summary>
    public string ConnectionString => Member("connectionString")!;

    /// <summary>Of the first account: <c>http://127.0.0.1:41441/devstoreaccount1</c>.</summary>
    public Uri Endpoint => new(Member("endpoint")!);

    /// <summary>The server's address, <c>http://127.0.0.1:41441/</c>.</summary>
    public Uri Url => new(Endpoint, "/");

    /// <summary>The port.</summary>
    public int Port => Endpoint.Port;

    /// <summary>With the option <c>tls = "auto"</c>, the file that clients must trust; otherwise null.</summary>
    public string? CertificateAuthority => Member("certificateAuthority");

    /// <summary>Starts a server, and returns when it answers.</summary>
    /// <exception cref="RocktableException">The server could not start. The message is its own sentence.</exception>
    public static async Task<RocktableServer> StartAsync(
        RocktableOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new();
        var process = await ServerProcess.StartAsync(Flags.Of(options), cancellationToken).ConfigureAwait(false);
        options.Options.TryGetValue("controlToken", out var token);
        var server = new RocktableServer(process, token as string);
        try
        {
            server.templates =
                options.Template != null ? [options.Template]
                : options.Seed != null ? await server.FilledAsync(cancellationToken).ConfigureAwait(false)
                : [];
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <summary>Makes an account with a new name: a copy of the template, or empty if nothing was seeded.</summary>
    /// <exception cref="RocktableException">The seed filled several accounts, and no template is chosen.</exception>
    public async Task<RocktableAccount> CreateAccountAsync(CancellationToken cancellationToken = default)
    {
        if (templates.Count > 1)
            throw new RocktableException(
                $"the seed filled the accounts {string.Join(", ", templates)}: choose one with Template");
        var name = "t" + Guid.NewGuid().ToString("N").Substring(0, 20);
        foreach (var template in templates)
        {
            var resource = $"accounts/{name}?from={Uri.EscapeDataString(template)}";
            await CallAsync(HttpMethod.Post, resource, cancellationToken).ConfigureAwait(false);
        }
        var endpoint = new Uri(Url, name);
        return new(
            name,
            $"DefaultEndpointsProtocol={Url.Scheme};AccountName={name};AccountKey={Key};TableEndpoint={endpoint};",
            endpoint);
    }

    /// <summary>Deletes all tables and settings of all accounts.</summary>
    public Task ResetAsync(CancellationToken cancellationToken = default) =>
        CallAsync(HttpMethod.Post, "reset", cancellationToken);

    /// <summary>Takes a snapshot of all accounts.</summary>
    public Task SnapshotAsync(string name, CancellationToken cancellationToken = default) =>
        CallAsync(HttpMethod.Post, $"snapshots/{Uri.EscapeDataString(name)}", cancellationToken);

    /// <summary>Restores all accounts from a snapshot. The snapshot stays.</summary>
    public Task RestoreAsync(string name, CancellationToken cancellationToken = default) =>
        CallAsync(HttpMethod.Post, $"snapshots/{Uri.EscapeDataString(name)}/restore", cancellationToken);

    /// <summary>The costs of all requests since the start.</summary>
    public Task<JsonElement> StatsAsync(CancellationToken cancellationToken = default) =>
        CallAsync(HttpMethod.Get, "stats", cancellationToken);

    /// <summary>Stops the server.</summary>
    public void Dispose()
    {
        http.Dispose();
        process.Dispose();
    }

    /// <summary>Stops the server.</summary>
    public ValueTask DisposeAsync() => new(Task.Run(Dispose));

    private string? Member(string name) => process.Ready.TryGetProperty(name, out var value) ? value.GetString() : null;

    // The accounts that have tables.
    private async Task<IReadOnlyList<string>> FilledAsync(CancellationToken cancellation)
    {
        var contents = await CallAsync(HttpMethod.Get, "contents", cancellation).ConfigureAwait(false);
        return contents.GetProperty("accounts").EnumerateArray()
            .Select(one => one.GetProperty("account").GetString()!).ToList();
    }

    private async Task<JsonElement> CallAsync(HttpMethod method, string resource, CancellationToken cancellation)
    {
        using var request = new HttpRequestMessage(method, new Uri(Url, "_rocktable/" + resource));
        try
        {
            using var answer = await http.SendAsync(request, cancellation).ConfigureAwait(false);
            using var document = JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync().ConfigureAwait(false));
            if (!answer.IsSuccessStatusCode)
                throw new RocktableException(
                    document.RootElement.GetProperty("error").GetString()!, answer.StatusCode);
            return document.RootElement.Clone();
        }
        catch (HttpRequestException error)
        {
            throw new RocktableException($"the server does not answer: {error.Message}", inner: error);
        }
    }
}
