namespace Rocktable.Clients;

internal static class Types
{
    private static readonly Dictionary<string, object> Values = new()
    {
        ["Text"] = "Zoë's \"東京\" 😀 \\ \n",
        ["Empty"] = "",
        ["Int"] = int.MinValue,
        ["Long"] = long.MaxValue,
        ["Small"] = 7L,
        ["Double"] = 0.1,
        ["Whole"] = 3.0,
        ["Bool"] = true,
        ["Guid"] = new Guid("12345678-9abc-def0-1234-56789abcdef0"),
        ["Time"] = new DateTimeOffset(2026, 3, 4, 5, 6, 7, TimeSpan.Zero).AddTicks(1234567),
    };

    [Case("each type comes back as it was stored")]
    public static async Task All(Account account)
    {
        var table = await account.NewTable();
        var entity = new TableEntity("p", "r");
        foreach (var (name, value) in Values) entity[name] = value;
        entity["Bytes"] = new byte[] { 0, 1, 254, 255 };
        entity["NoBytes"] = Array.Empty<byte>();
        await table.AddEntityAsync(entity);
        var read = (await table.GetEntityAsync<TableEntity>("p", "r")).Value;
        foreach (var (name, value) in Values) Expect.Equal(value, read[name], name);
        Expect.Items<byte>([0, 1, 254, 255], read.GetBinary("Bytes")!);
        Expect.Equal(0, read.GetBinary("NoBytes")!.Length);
    }

    // Other libraries write them. This one refuses them by itself.
    [Case("infinite doubles are read")]
    public static async Task Infinite(Account account)
    {
        var table = await account.NewTable();
        foreach (var value in new[] { double.PositiveInfinity, double.NegativeInfinity, double.NaN })
        {
            await WriteAsOthers(account, table.Name, value);
            Expect.Equal(value, (await table.GetEntityAsync<TableEntity>("p", "r")).Value.GetDouble("Value")!.Value);
        }
        await Expect.Throws<ArgumentException>(() =>
            table.AddEntityAsync(new TableEntity("p", "s") { ["Value"] = double.PositiveInfinity }));
    }

    [Case("a time that is not in UTC is stored as UTC")]
    public static async Task Times(Account account)
    {
        var table = await account.NewTable();
        var local = new DateTimeOffset(2026, 3, 4, 5, 6, 7, TimeSpan.FromHours(-7));
        await table.AddEntityAsync(new TableEntity("p", "r") { ["Time"] = local, ["Old"] = new DateTime(1601, 1, 1, 0, 0, 0, DateTimeKind.Utc) });
        var read = (await table.GetEntityAsync<TableEntity>("p", "r")).Value;
        Expect.Equal(local.ToUniversalTime(), read.GetDateTimeOffset("Time")!.Value);
        Expect.Equal(1601, read.GetDateTime("Old")!.Value.Year);
    }

    [Case("a property that is null is not stored")]
    public static async Task Null(Account account)
    {
        var table = await account.NewTable();
        await table.AddEntityAsync(new TableEntity("p", "r") { ["There"] = "x", ["Null"] = null });
        Expect.False((await table.GetEntityAsync<TableEntity>("p", "r")).Value.ContainsKey("Null"));
    }

    [Case("a class of one's own has its properties, renamed and without those that are ignored")]
    public static async Task OwnClass(Account account)
    {
        var table = await account.NewTable();
        var stored = Customer.Numbered("p", 5);
        stored.Local = "here only";
        await table.AddEntityAsync(stored);
        var read = (await table.GetEntityAsync<Customer>("p", "0005")).Value;
        Expect.Equal(stored.Name, read.Name);
        Expect.Equal(stored.Visits, read.Visits);
        Expect.Equal(stored.Points, read.Points);
        Expect.Equal(stored.Score, read.Score);
        Expect.Equal(stored.Active, read.Active);
        Expect.Equal(stored.Since, read.Since);
        Expect.Equal(stored.Token, read.Token);
        Expect.Items(stored.Picture!, read.Picture);
        Expect.Equal(stored.Grade, read.Grade);
        Expect.Equal("other", read.Other);
        Expect.Equal("not stored", read.Local);
        var raw = (await table.GetEntityAsync<TableEntity>("p", "0005")).Value;
        Expect.Equal("other", raw["renamed"]);
        Expect.False(raw.ContainsKey("Local"));
    }

    // The library does both by itself: what it stores, no filter of it finds.
    [Case("an enum is stored as text and filtered as a number, by the library itself")]
    public static async Task Enums(Account account)
    {
        var table = await account.NewTable();
        await table.AddEntityAsync(Customer.Numbered("p", 2));  // Gold
        Expect.Equal("Gold", (await table.GetEntityAsync<TableEntity>("p", "0002")).Value["Grade"]);
        Expect.Equal("Grade eq 2", TableClient.CreateQueryFilter<Customer>(c => c.Grade == Grade.Gold));
        var found = 0;
        await foreach (var _ in table.QueryAsync<Customer>(c => c.Grade == Grade.Gold)) found++;
        Expect.Equal(0, found);
        await foreach (var _ in table.QueryAsync<Customer>("Grade eq 'Gold'")) found++;
        Expect.Equal(1, found);
    }

    private static async Task WriteAsOthers(Account account, string table, double value)
    {
        var signer = new TableClient(account.Endpoint, table, account.Credential);
        var signed = new UriBuilder(signer.GenerateSasUri(TableSasPermissions.All, DateTimeOffset.UtcNow.AddHours(1)));
        signed.Path += "(PartitionKey='p',RowKey='r')";
        var text = double.IsNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
        using var client = new HttpClient();
        var body = new StringContent($$"""{"Value@odata.type":"Edm.Double","Value":"{{text}}"}""", null, "application/json");
        body.Headers.Add("x-ms-version", "2019-02-02");
        (await client.PutAsync(signed.Uri, body)).EnsureSuccessStatusCode();
    }
}
