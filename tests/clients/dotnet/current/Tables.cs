namespace Rocktable.Clients;

internal static class Tables
{
    [Case("a table is created once, and deleted")]
    public static async Task CreateAndDelete(Account account)
    {
        var service = account.Service();
        var name = account.NewName();
        Expect.Equal(name, (await service.CreateTableAsync(name)).Value.Name);
        await Expect.Refused(409, "TableAlreadyExists", () => service.CreateTableAsync(name));
        Expect.Equal(204, (await service.DeleteTableAsync(name)).Status);
        Expect.Equal(404, (await service.DeleteTableAsync(name)).Status);  // the library takes that for an answer
        await Expect.Refused(404, "TableNotFound", () => service.GetTableClient(name).GetEntityAsync<TableEntity>("p", "r"));
    }

    [Case("creation if it does not exist accepts that it does")]
    public static async Task CreateIfNotExists(Account account)
    {
        var table = account.Table();
        Expect.Equal(204, (await table.CreateIfNotExistsAsync()).GetRawResponse().Status);
        Expect.Equal(409, (await table.CreateIfNotExistsAsync()).GetRawResponse().Status);
        var other = account.NewName();
        Expect.Equal(other, (await account.Service().CreateTableIfNotExistsAsync(other)).Value.Name);
    }

    [Case("the methods without tasks do the same")]
    public static Task Sync(Account account)
    {
        var service = account.Service();
        var name = account.NewName();
        Expect.Equal(name, service.CreateTable(name).Value.Name);
        Expect.Items([name], service.Query(filter: $"TableName eq '{name}'").Select(t => t.Name));
        Expect.Equal(204, service.DeleteTable(name).Status);
        return Task.CompletedTask;
    }

    [Case("tables are found by a filter, by an expression, and page by page")]
    public static async Task Query(Account account)
    {
        var service = account.Service();
        var prefix = account.NewName("q");
        string[] names = [.. Enumerable.Range(0, 5).Select(i => $"{prefix}x{i}")];
        foreach (var name in names) await service.CreateTableAsync(name);
        var range = TableClient.CreateQueryFilter($"TableName ge {prefix} and TableName lt {prefix + "y"}");
        Expect.Items(names, await All(service.QueryAsync(range)));
        var third = names[2];
        Expect.Items([third], await All(service.QueryAsync(t => t.Name == third)));
        List<int> sizes = [];
        await foreach (var page in service.QueryAsync(range, maxPerPage: 2).AsPages()) sizes.Add(page.Values.Count);
        Expect.Items([2, 2, 1], sizes);
        foreach (var name in names) await service.DeleteTableAsync(name);
    }

    [Case("names that a table cannot have are refused")]
    public static async Task Names(Account account)
    {
        var service = account.Service();
        await Expect.Refused(400, "InvalidResourceName", () => service.CreateTableAsync("with-hyphen"));
        await Expect.Refused(400, "OutOfRangeInput", () => service.CreateTableAsync("ab"));
        await Expect.Refused(400, "InvalidResourceName", () => service.CreateTableAsync("1st"));
    }

    private static async Task<string[]> All(AsyncPageable<TableItem> tables)
    {
        List<string> names = [];
        await foreach (var table in tables) names.Add(table.Name);
        return [.. names];
    }
}
