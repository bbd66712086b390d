using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;

namespace Rocktable.Clients;

// Stands before the server, for what a server that is well does not do. It looks at the first request of each connection,
// and passes on what follows; a connection that it answers itself is closed.
internal sealed class Proxy : IDisposable
{
    public delegate string? Answer(int number);

    // Never answers, and leaves the connection open.
    public const string Silence = "";

    // The service's answer to a request that comes too soon.
    public static readonly string Busy = WithBody(
        "HTTP/1.1 503 Server Busy",
        """
        {"odata.error":{"code":"ServerBusy","message":{"lang":"en-US",
        "value":"The server is currently unable to receive requests. Please retry your request."}}}
        """);

    private readonly TcpListener listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource stopped = new();
    private readonly Uri behind;
    private readonly Answer answer;
    private readonly List<string> requests = [];

    // `answer` says what connection 0, 1, ... gets; null: what the server says.
    public Proxy(Uri endpoint, Answer answer)
    {
        behind = endpoint;
        this.answer = answer;
        listener.Start();
        Endpoint = new UriBuilder(endpoint) { Host = "127.0.0.1", Port = ((IPEndPoint)listener.LocalEndpoint).Port }.Uri;
        _ = Accept();
    }

    public Uri Endpoint { get; }

    // The heads of the first requests of connections.
    public string[] Requests
    {
        get { lock (requests) return [.. requests]; }
    }

    public void Dispose()
    {
        stopped.Cancel();
        listener.Stop();
    }

    private async Task Accept()
    {
        try
        {
            for (var number = 0; ; number++) _ = Serve(await listener.AcceptTcpClientAsync(stopped.Token), number);
        }
        catch (Exception ended) when (ended is OperationCanceledException or SocketException or ObjectDisposedException)
        {
        }
    }

    private async Task Serve(TcpClient client, int number)
    {
        using (client)
        {
            try
            {
                var near = client.GetStream();
                var request = await ReadRequest(near);
                lock (requests) requests.Add(Encoding.Latin1.GetString(request));
                switch (answer(number))
                {
                    case null:
                        await PassOn(near, request);
                        break;
                    case Silence:
                        await Task.Delay(Timeout.Infinite, stopped.Token);
                        break;
                    case var text:
                        await near.WriteAsync(Encoding.Latin1.GetBytes(text), stopped.Token);
                        client.Client.Shutdown(SocketShutdown.Send);
                        break;
                }
            }
            catch (Exception ended) when (ended is OperationCanceledException or IOException or SocketException)
            {
            }
        }
    }

    private static string WithBody(string status, string body) =>
        $"{status}\r\nContent-Type: application/json\r\nContent-Length: {body.Length}\r\nConnection: close\r\n\r\n{body}";

    // A head and the body that belongs to it.
    private async Task<byte[]> ReadRequest(NetworkStream near)
    {
        var buffer = new byte[65536];
        for (var length = 0; ;)
        {
            var read = await near.ReadAsync(buffer.AsMemory(length), stopped.Token);
            if (read == 0) throw new IOException("closed within a request");
            length += read;
            var text = Encoding.Latin1.GetString(buffer, 0, length);
            var end = text.IndexOf("\r\n\r\n", StringComparison.Ordinal);
            if (end < 0) continue;
            var stated = Regex.Match(text[..end], @"\r\nContent-Length: *(\d+)", RegexOptions.IgnoreCase);
            if (length >= end + 4 + (stated.Success ? int.Parse(stated.Groups[1].Value) : 0)) return buffer[..length];
        }
    }

    private async Task PassOn(NetworkStream near, byte[] request)
    {
        using var server = new TcpClient();
        await server.ConnectAsync(behind.Host, behind.Port, stopped.Token);
        var far = server.GetStream();
        await far.WriteAsync(request, stopped.Token);
        await Task.WhenAny(near.CopyToAsync(far, stopped.Token), far.CopyToAsync(near, stopped.Token));
    }
}
