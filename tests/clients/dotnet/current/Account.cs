namespace Rocktable.Clients;

// An account of the server under test, and clients for it. Clients do not retry, so that every refusal is seen at once.
internal sealed class Account(string connectionString)
{
    private static int tables;

    public string ConnectionString { get; } = connectionString;

    public string Name => Part("AccountName");
    public string Key => Part("AccountKey");
    public Uri Endpoint => new(Part("TableEndpoint"));
    public TableSharedKeyCredential Credential => new(Name, Key);

    public static TableClientOptions Options()
    {
        var options = new TableClientOptions();
        options.Retry.MaxRetries = 0;
        return options;
    }

    public TableServiceClient Service() => new(ConnectionString, Options());

    // Unique between processes as well: all may share one running server.
    public string NewName(string prefix = "t") =>
        $"{prefix}{Environment.ProcessId}x{DateTime.UtcNow.Ticks:x}x{Interlocked.Increment(ref tables)}";

    // A table that is not there yet.
    public TableClient Table() => Service().GetTableClient(NewName());

    public async Task<TableClient> NewTable()
    {
        var table = Table();
        await table.CreateAsync();
        return table;
    }

    private string Part(string name) =>
        ConnectionString.Split(';').Select(part => part.Split('=', 2)).First(part => part[0] == name)[1];
}
