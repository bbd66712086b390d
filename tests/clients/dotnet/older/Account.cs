namespace Rocktable.Clients;

// An account of the server under test, and clients for it. Clients do not retry, so that every refusal is seen at once.
internal sealed class Account
{
    private static int tables;

    public Account(string connectionString)
    {
        ConnectionString = connectionString;
        Storage = CloudStorageAccount.Parse(connectionString);
        Endpoint = Storage.TableEndpoint;
        var secondary = new UriBuilder(Endpoint) { Path = Endpoint.AbsolutePath.TrimEnd('/') + "-secondary" };  // path style
        Locations = new StorageUri(Endpoint, secondary.Uri);
    }

    public string ConnectionString { get; }
    public CloudStorageAccount Storage { get; }
    public Uri Endpoint { get; }
    public StorageUri Locations { get; }

    public CloudTableClient Client(StorageCredentials? credentials = null, Uri? endpoint = null) =>
        WithoutRetries(new CloudTableClient(endpoint ?? Endpoint, credentials ?? Storage.Credentials));

    // Knows both locations of the account.
    public CloudTableClient ClientOf(StorageUri locations) =>
        WithoutRetries(new CloudTableClient(locations, Storage.Credentials));

    private static CloudTableClient WithoutRetries(CloudTableClient client)
    {
        client.DefaultRequestOptions.RetryPolicy = new NoRetry();
        return client;
    }

    // Unique between processes as well: all may share one running server.
    public string NewName(string prefix = "t") =>
        $"{prefix}{Environment.ProcessId}x{DateTime.UtcNow.Ticks:x}x{Interlocked.Increment(ref tables)}";

    // A table that is not there yet.
    public CloudTable Table() => Client().GetTableReference(NewName());

    public async Task<CloudTable> NewTable()
    {
        var table = Table();
        await table.CreateAsync();
        return table;
    }

    // The same table as `table`, for who has only a shared access signature.
    public CloudTable WithSas(CloudTable table, string signature) =>
        Client(new StorageCredentials(signature)).GetTableReference(table.Name);
}
