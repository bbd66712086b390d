namespace Rocktable.Clients;

internal static class Entities
{
    private static TableEntity Row(string row, string value) => new("p", row) { ["Value"] = value };

    private static async Task<string> Told(TableClient table, string row) =>
        string.Join(" ", (await table.GetEntityAsync<TableEntity>("p", row)).Value
            .Where(p => p.Key is "Value" or "More").OrderBy(p => p.Key).Select(p => $"{p.Key}={p.Value}"));

    [Case("an entity is added once, read and deleted")]
    public static async Task AddGetDelete(Account account)
    {
        var table = await account.NewTable();
        var added = await table.AddEntityAsync(Row("r", "one"));
        Expect.Equal(204, added.Status);
        Expect.True(added.Headers.ETag is not null);
        await Expect.Refused(409, "EntityAlreadyExists", () => table.AddEntityAsync(Row("r", "two")));
        var read = (await table.GetEntityAsync<TableEntity>("p", "r")).Value;
        Expect.Equal("one", read.GetString("Value"));
        Expect.Equal(added.Headers.ETag, read.ETag);
        Expect.True((DateTimeOffset.UtcNow - read.Timestamp!.Value).Duration() < TimeSpan.FromMinutes(15));
        Expect.Equal(204, (await table.DeleteEntityAsync("p", "r")).Status);
        Expect.Equal(404, (await table.DeleteEntityAsync("p", "r")).Status);  // the library takes that for an answer
        await Expect.Refused(404, "ResourceNotFound", () => table.GetEntityAsync<TableEntity>("p", "r"));
    }

    [Case("an entity that may not exist is asked for without an exception")]
    public static async Task GetIfExists(Account account)
    {
        var table = await account.NewTable();
        Expect.False((await table.GetEntityIfExistsAsync<TableEntity>("p", "r")).HasValue);
        await table.AddEntityAsync(Row("r", "one"));
        var found = await table.GetEntityIfExistsAsync<TableEntity>("p", "r", ["Value"]);
        Expect.True(found.HasValue);
        Expect.Equal("one", found.Value!.GetString("Value"));
    }

    [Case("an upsert merges or replaces, and adds what is not there")]
    public static async Task Upsert(Account account)
    {
        var table = await account.NewTable();
        foreach (var mode in new[] { TableUpdateMode.Merge, TableUpdateMode.Replace })
        {
            var row = mode.ToString();
            await table.UpsertEntityAsync(Row(row, "one"), mode);
            await table.UpsertEntityAsync(new TableEntity("p", row) { ["More"] = "two" }, mode);
            Expect.Equal(mode == TableUpdateMode.Merge ? "More=two Value=one" : "More=two", await Told(table, row));
        }
    }

    [Case("an update merges or replaces what is there, with its ETag or any")]
    public static async Task Update(Account account)
    {
        var table = await account.NewTable();
        foreach (var mode in new[] { TableUpdateMode.Merge, TableUpdateMode.Replace })
        {
            var row = mode.ToString();
            await Expect.Refused(404, "ResourceNotFound", () => table.UpdateEntityAsync(Row(row, "none"), ETag.All, mode));
            var first = (await table.AddEntityAsync(Row(row, "one"))).Headers.ETag!.Value;
            var more = new TableEntity("p", row) { ["More"] = "two" };
            var second = (await table.UpdateEntityAsync(more, first, mode)).Headers.ETag!.Value;
            Expect.True(first != second);
            await Expect.Refused(412, "UpdateConditionNotSatisfied", () => table.UpdateEntityAsync(more, first, mode));
            await table.UpdateEntityAsync(more, ETag.All, mode);
            Expect.Equal(mode == TableUpdateMode.Merge ? "More=two Value=one" : "More=two", await Told(table, row));
        }
    }

    [Case("a deletion needs the ETag that it names")]
    public static async Task DeleteWithETag(Account account)
    {
        var table = await account.NewTable();
        var first = (await table.AddEntityAsync(Row("r", "one"))).Headers.ETag!.Value;
        var second = (await table.UpdateEntityAsync(Row("r", "two"), ETag.All)).Headers.ETag!.Value;
        await Expect.Refused(412, "UpdateConditionNotSatisfied", () => table.DeleteEntityAsync("p", "r", first));
        var read = (await table.GetEntityAsync<TableEntity>("p", "r")).Value;
        Expect.Equal(second, read.ETag);
        Expect.Equal(204, (await table.DeleteEntityAsync(read, read.ETag)).Status);
    }

    [Case("the methods without tasks do the same")]
    public static Task Sync(Account account)
    {
        var table = account.Table();
        table.Create();
        table.AddEntity(Row("r", "one"));
        table.UpsertEntity(Row("s", "two"));
        table.UpdateEntity(Row("r", "three"), ETag.All, TableUpdateMode.Replace);
        Expect.Equal("three", table.GetEntity<TableEntity>("p", "r").Value.GetString("Value"));
        Expect.False(table.GetEntityIfExists<TableEntity>("p", "x").HasValue);
        Expect.Items(["r", "s"], table.Query<TableEntity>().Select(e => e.RowKey));
        table.DeleteEntity("p", "r");
        table.Delete();
        return Task.CompletedTask;
    }

    [Case("keys of any script and all signs of URLs")]
    public static async Task AnyKeys(Account account)
    {
        var table = await account.NewTable();
        foreach (var key in new[] { "it's", "''", "a+b&c=d", "😀", "x y", "%41", "Zoë", "a,b;c:d@e!*()", "東京", "" })
        {
            await table.AddEntityAsync(new TableEntity(key, key) { ["Value"] = key });
            Expect.Equal(key, (await table.GetEntityAsync<TableEntity>(key, key)).Value.GetString("Value"));
            await table.UpdateEntityAsync(new TableEntity(key, key) { ["Value"] = "new" }, ETag.All);
            Expect.Equal(204, (await table.DeleteEntityAsync(key, key)).Status);
        }
        foreach (var key in new[] { "a/b", "a\\b", "a#b", "a?b", "a\tb" })
            await Expect.Refused(400, "OutOfRangeInput", () => table.AddEntityAsync(new TableEntity(key, "r")));
    }

    [Case("a selection brings the chosen properties alone")]
    public static async Task Select(Account account)
    {
        var table = await account.NewTable();
        await table.AddEntityAsync(Customer.Numbered("p", 1));
        var read = (await table.GetEntityAsync<TableEntity>("p", "0001", ["Name", "Visits"])).Value;
        Expect.Items(["Name", "Visits", "odata.etag"], read.Keys.Order(StringComparer.Ordinal));
    }

    [Case("an entity that is too large is refused, and nothing is stored")]
    public static async Task TooLarge(Account account)
    {
        var table = await account.NewTable();
        var large = new TableEntity("p", "r");
        for (var i = 0; i < 17; i++) large[$"P{i}"] = new byte[64 * 1024];
        await Expect.Refused(400, "EntityTooLarge", () => table.AddEntityAsync(large));
        await Expect.Refused(400, "PropertyValueTooLarge", () => table.AddEntityAsync(Row("r", new string('x', 40_000))));
        Expect.False((await table.GetEntityIfExistsAsync<TableEntity>("p", "r")).HasValue);
    }
}
