namespace Rocktable.Clients;

internal static class Transactions
{
    private static TableTransactionAction Do(TableTransactionActionType type, string row, string value, ETag etag = default) =>
        new(type, new TableEntity("p", row) { ["Value"] = value }, etag);

    private static async Task<string[]> Contents(TableClient table)
    {
        List<string> found = [];
        await foreach (var entity in table.QueryAsync<TableEntity>())
            found.Add($"{entity.RowKey}={string.Join(" ", entity.Where(p => p.Key is "Value" or "More").OrderBy(p => p.Key).Select(p => p.Value))}");
        return [.. found];
    }

    [Case("operations of all kinds happen together, each with its answer")]
    public static async Task AllKinds(Account account)
    {
        var table = await account.NewTable();
        foreach (var row in new[] { "deleted", "merged", "replaced", "upMerged", "upReplaced" })
            await table.AddEntityAsync(new TableEntity("p", row) { ["More"] = "old" });
        var answers = (await table.SubmitTransactionAsync(
        [
            Do(TableTransactionActionType.Add, "added", "new"),
            Do(TableTransactionActionType.UpdateMerge, "merged", "new", ETag.All),
            Do(TableTransactionActionType.UpdateReplace, "replaced", "new", ETag.All),
            Do(TableTransactionActionType.UpsertMerge, "upMerged", "new"),
            Do(TableTransactionActionType.UpsertReplace, "upReplaced", "new"),
            Do(TableTransactionActionType.Delete, "deleted", ""),
        ])).Value;
        Expect.Items([204, 204, 204, 204, 204, 204], answers.Select(a => a.Status));
        Expect.Items([true, true, true, true, true, false], answers.Select(a => a.Headers.ETag is not null));
        Expect.Items(["added=new", "merged=old new", "replaced=new", "upMerged=old new", "upReplaced=new"], await Contents(table));
    }

    [Case("where one operation fails nothing happens, and the exception has its index")]
    public static async Task FailedIndex(Account account)
    {
        var table = await account.NewTable();
        await table.AddEntityAsync(new TableEntity("p", "there") { ["Value"] = "old" });
        foreach (var index in new[] { 0, 2, 4 })
        {
            var actions = Enumerable.Range(0, 5).Select(i => Do(TableTransactionActionType.Add, i == index ? "there" : $"r{i}", "new"));
            var failed = await Expect.Refused<TableTransactionFailedException>(
                409, "EntityAlreadyExists", () => table.SubmitTransactionAsync(actions));
            Expect.Equal(index, failed.FailedTransactionActionIndex);
        }
        Expect.Items(["there=old"], await Contents(table));
    }

    [Case("an ETag that is not that of the entity, or no entity, fails a transaction")]
    public static async Task Conditions(Account account)
    {
        var table = await account.NewTable();
        var first = (await table.AddEntityAsync(new TableEntity("p", "there") { ["Value"] = "old" })).Headers.ETag!.Value;
        await table.UpdateEntityAsync(new TableEntity("p", "there") { ["Value"] = "newer" }, ETag.All);
        var failed = await Expect.Refused<TableTransactionFailedException>(412, "UpdateConditionNotSatisfied", () => table.SubmitTransactionAsync(
            [Do(TableTransactionActionType.Add, "a", ""), Do(TableTransactionActionType.UpdateReplace, "there", "lost", first)]));
        Expect.Equal(1, failed.FailedTransactionActionIndex);
        failed = await Expect.Refused<TableTransactionFailedException>(404, "ResourceNotFound", () => table.SubmitTransactionAsync(
            [Do(TableTransactionActionType.Delete, "nobody", "", ETag.All), Do(TableTransactionActionType.Add, "a", "")]));
        Expect.Equal(0, failed.FailedTransactionActionIndex);
        Expect.Items(["there=newer"], await Contents(table));
    }

    [Case("100 operations are a transaction, 101 are not")]
    public static async Task Hundred(Account account)
    {
        var table = await account.NewTable();
        TableTransactionAction[] Rows(int count) => [.. Enumerable.Range(0, count).Select(i => Do(TableTransactionActionType.UpsertReplace, $"{i:d3}", "x"))];
        Expect.Equal(100, (await table.SubmitTransactionAsync(Rows(100))).Value.Count);
        await Expect.Refused<TableTransactionFailedException>(400, "InvalidInput", () => table.SubmitTransactionAsync(Rows(101)));
        Expect.Equal(100, (await Contents(table)).Length);
    }

    [Case("an entity may be in a transaction once, and all of them in one partition")]
    public static async Task OnceInOnePartition(Account account)
    {
        var table = await account.NewTable();
        await Expect.Refused<TableTransactionFailedException>(400, "InvalidDuplicateRow", () => table.SubmitTransactionAsync(
            [Do(TableTransactionActionType.Add, "a", ""), Do(TableTransactionActionType.UpsertMerge, "a", "")]));
        var other = new TableTransactionAction(TableTransactionActionType.Add, new TableEntity("q", "b"));
        await Expect.Refused<TableTransactionFailedException>(400, "CommandsInBatchActOnDifferentPartitions", () =>
            table.SubmitTransactionAsync([Do(TableTransactionActionType.Add, "a", ""), other]));
        Expect.Items([], await Contents(table));
    }

    [Case("without tasks, with keys of any script and all types")]
    public static async Task Sync(Account account)
    {
        var table = await account.NewTable();
        string[] rows = ["it's", "a+b&c", "😀", "x y", "%41"];
        var customers = rows.Select((row, i) =>
        {
            var customer = Customer.Numbered("Zoë's 東京 100%", i);
            customer.RowKey = row;
            return customer;
        }).ToArray();
        Expect.Equal(5, table.SubmitTransaction(customers.Select(c => new TableTransactionAction(TableTransactionActionType.Add, c))).Value.Count);
        foreach (var customer in customers)
            Expect.Equal(customer.Token, table.GetEntity<Customer>(customer.PartitionKey, customer.RowKey).Value.Token);
    }
}
