namespace Rocktable.Clients;

internal static class Tables
{
    [Case("a table is created once, in whatever case")]
    public static async Task CreatedOnce(Account account)
    {
        var table = account.Table();
        Expect.True(await table.CreateIfNotExistsAsync());
        Expect.False(await table.CreateIfNotExistsAsync());
        await Expect.Refused(409, "TableAlreadyExists", table.CreateAsync);
        var upper = account.Client().GetTableReference(table.Name.ToUpperInvariant());
        await Expect.Refused(409, "TableAlreadyExists", upper.CreateAsync);
        Expect.False(await upper.CreateIfNotExistsAsync());
    }

    [Case("a table that is deleted is gone with its entities")]
    public static async Task Deleted(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "r")));
        Expect.True(await table.ExistsAsync());
        Expect.True(await table.DeleteIfExistsAsync());
        Expect.False(await table.ExistsAsync());
        Expect.False(await table.DeleteIfExistsAsync());
        await Expect.Refused(404, "ResourceNotFound", table.DeleteAsync);
    }

    [Case("a listing by prefix comes in segments, in the order of names")]
    public static async Task Listing(Account account)
    {
        var client = account.Client();
        var prefix = account.NewName("list");
        string[] names = [.. Enumerable.Range(0, 7).Select(i => $"{prefix}n{i}")];
        foreach (var name in names.Reverse()) await client.GetTableReference(name).CreateAsync();

        List<string> seen = [];
        List<int> segments = [];
        TableContinuationToken? token = null;
        do
        {
            var segment = await client.ListTablesSegmentedAsync(prefix, 3, token, null, null);
            seen.AddRange(segment.Results.Select(t => t.Name));
            segments.Add(segment.Results.Count);
            token = segment.ContinuationToken;
        }
        while (token is not null);
        Expect.Items(names, seen);
        Expect.Items([3, 3, 1], segments);
    }

    [Case("a listing by prefix finds names in any case, as they were created")]
    public static async Task ListingInAnyCase(Account account)
    {
        var client = account.Client();
        var name = account.NewName("Mixed");
        await client.GetTableReference(name).CreateAsync();
        var found = await client.ListTablesSegmentedAsync(name.ToLowerInvariant(), null);
        Expect.Items([name], found.Results.Select(t => t.Name));
    }

    [Case("a listing by a prefix that no table has is empty")]
    public static async Task EmptyListing(Account account)
    {
        var found = await account.Client().ListTablesSegmentedAsync(account.NewName("nothing"), null);
        Expect.Equal(0, found.Results.Count());
        Expect.True(found.ContinuationToken is null);
    }

    [Case("a table is addressed in any case")]
    public static async Task AddressedInAnyCase(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "r")));
        var upper = account.Client().GetTableReference(table.Name.ToUpperInvariant());
        Expect.Equal(200, (await upper.ExecuteAsync(TableOperation.Retrieve("p", "r"))).HttpStatusCode);
    }

    [Case("names that no table may have are refused")]
    public static async Task BadNames(Account account)
    {
        var client = account.Client();
        await Expect.Refused(400, "InvalidResourceName", client.GetTableReference("with-dash").CreateAsync);
        await Expect.Refused(400, "InvalidResourceName", client.GetTableReference("1digit").CreateAsync);
        await Expect.Refused(400, "OutOfRangeInput", client.GetTableReference("ab").CreateAsync);
        await Expect.Refused(400, "OutOfRangeInput", client.GetTableReference(new string('a', 64)).CreateAsync);
    }

    [Case("what is asked of a table that is not there is TableNotFound, a single entity just absent")]
    public static async Task Absent(Account account)
    {
        var table = account.Table();
        var entity = new TableEntity("p", "r") { ETag = "*" };
        await Expect.Refused(404, "TableNotFound", () => table.ExecuteAsync(TableOperation.Insert(entity)));
        await Expect.Refused(404, "TableNotFound", () => table.ExecuteAsync(TableOperation.InsertOrMerge(entity)));
        await Expect.Refused(404, "TableNotFound", () => table.ExecuteQuerySegmentedAsync(new TableQuery(), null));
        await Expect.Refused(404, "TableNotFound", () => table.ExecuteBatchAsync([TableOperation.Insert(entity)]));
        await Expect.Refused(404, "TableNotFound", () => table.GetPermissionsAsync());
        Expect.Equal(404, (await table.ExecuteAsync(TableOperation.Retrieve("p", "r"))).HttpStatusCode);
    }
}
