namespace Rocktable.Clients;

internal static class Batches
{
    private static DynamicTableEntity Row(string row, string value, string? etag = null) =>
        new("p", row) { ETag = etag, Properties = { ["Value"] = new EntityProperty(value) } };

    private static async Task<Dictionary<string, string>> Contents(CloudTable table) =>
        (await table.ExecuteQuerySegmentedAsync(new TableQuery(), null)).Results.ToDictionary(
            e => e.RowKey, e => string.Join(" ", e.Properties.OrderBy(p => p.Key).Select(p => p.Value.StringValue)));

    [Case("operations of all kinds happen together, each with its answer")]
    public static async Task AllKinds(Account account)
    {
        var table = await account.NewTable();
        foreach (var row in new[] { "replaced", "merged", "deleted", "orReplaced", "orMerged" })
            await table.ExecuteAsync(TableOperation.Insert(Row(row, "old")));
        DynamicTableEntity More(string row) => new("p", row) { ETag = "*", Properties = { ["More"] = new EntityProperty("more") } };

        TableBatchOperation batch = [];
        batch.Insert(Row("inserted", "new"));
        batch.Replace(Row("replaced", "new", "*"));
        batch.Merge(More("merged"));
        batch.Delete(new TableEntity("p", "deleted") { ETag = "*" });
        batch.InsertOrReplace(Row("orReplaced", "new"));
        batch.InsertOrMerge(More("orMerged"));
        IList<TableResult> results = await table.ExecuteBatchAsync(batch);

        Expect.Items([204, 204, 204, 204, 204, 204], results.Select(r => r.HttpStatusCode));
        Expect.Items([true, true, true, false, true, true], results.Select(r => !string.IsNullOrEmpty(r.Etag)));
        var contents = await Contents(table);
        Expect.Items(
            ["inserted=new", "merged=more old", "orMerged=more old", "orReplaced=new", "replaced=new"],
            contents.OrderBy(c => c.Key, StringComparer.Ordinal).Select(c => $"{c.Key}={c.Value}"));
    }

    [Case("where one operation fails nothing happens, and the error names it")]
    public static async Task FailedIndex(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(Row("there", "old")));
        TableBatchOperation batch = [];
        foreach (var row in new[] { "a", "b", "there" }) batch.Insert(Row(row, "new"));
        var refusal = await Expect.Refused(409, "EntityAlreadyExists", () => table.ExecuteBatchAsync(batch));
        var message = refusal.RequestInformation.ExtendedErrorInformation.ErrorMessage;
        Expect.True(message.StartsWith("2:The specified entity already exists.", StringComparison.Ordinal), message);
        Expect.Items(["there=old"], (await Contents(table)).Select(c => $"{c.Key}={c.Value}"));
    }

    [Case("an ETag that is not that of the entity, or no entity, fails a batch")]
    public static async Task Conditions(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(Row("there", "old")));
        var stale = Row("there", "new", "W/\"datetime'2015-01-01T00%3A00%3A00Z'\"");
        var insert = TableOperation.Insert(Row("a", ""));
        var delete = TableOperation.Delete(Row("nobody", "", "*"));
        await Expect.Refused(412, "UpdateConditionNotSatisfied", () => table.ExecuteBatchAsync([insert, TableOperation.Replace(stale)]));
        await Expect.Refused(404, "ResourceNotFound", () => table.ExecuteBatchAsync([insert, delete]));
        Expect.Equal(1, (await Contents(table)).Count);
    }

    [Case("100 operations are a batch")]
    public static async Task Hundred(Account account)
    {
        var table = await account.NewTable();
        TableBatchOperation batch = [];
        for (var i = 0; i < 100; i++) batch.Insert(Row($"{i:d3}", "new"));
        IList<TableResult> results = await table.ExecuteBatchAsync(batch);
        Expect.Equal(100, results.Count);
        Expect.Equal(100, (await Contents(table)).Count);
    }

    [Case("an echo in a batch brings the entity with its timestamp")]
    public static async Task Echo(Account account)
    {
        var table = await account.NewTable();
        TableBatchOperation batch = [TableOperation.Insert(Row("a", "x"), true), TableOperation.Insert(Row("b", "y"), false)];
        IList<TableResult> results = await table.ExecuteBatchAsync(batch);
        Expect.Items([201, 204], results.Select(r => r.HttpStatusCode));
        var echoed = (DynamicTableEntity)results[0].Result;
        Expect.Equal("x", echoed.Properties["Value"].StringValue);
        Expect.True((DateTimeOffset.UtcNow - echoed.Timestamp).Duration() < TimeSpan.FromMinutes(15));
    }

    [Case("a retrieve may be a batch of its own")]
    public static async Task Retrieve(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(Row("there", "old")));
        TableBatchOperation batch = [];
        batch.Retrieve("p", "there");
        IList<TableResult> results = await table.ExecuteBatchAsync(batch);
        Expect.Items([200], results.Select(r => r.HttpStatusCode));
        Expect.Equal("old", ((DynamicTableEntity)results[0].Result).Properties["Value"].StringValue);
        TableBatchOperation absent = [];
        absent.Retrieve("p", "nobody");
        results = await table.ExecuteBatchAsync(absent);
        Expect.Items([404], results.Select(r => r.HttpStatusCode));
    }

    [Case("an entity may be in a batch once")]
    public static async Task Duplicate(Account account)
    {
        var table = await account.NewTable();
        TableBatchOperation batch = [TableOperation.Insert(Row("a", "")), TableOperation.InsertOrMerge(Row("a", ""))];
        var refusal = await Expect.Refused(400, "InvalidDuplicateRow", () => table.ExecuteBatchAsync(batch));
        Expect.True(refusal.RequestInformation.ExtendedErrorInformation.ErrorMessage.StartsWith("1:", StringComparison.Ordinal));
        Expect.Equal(0, (await Contents(table)).Count);
    }

    [Case("keys of any script and all types go through a batch")]
    public static async Task AnyKeys(Account account)
    {
        var table = await account.NewTable();
        const string partition = "Zoë's 東京 100%";
        string[] rows = ["it's", "a+b&c", "😀", "x y", "%41"];
        TableBatchOperation batch = [];
        foreach (var (row, number) in rows.Zip(Enumerable.Range(1, rows.Length)))
        {
            var customer = Customer.Numbered(partition, number);
            customer.RowKey = row;
            batch.InsertOrReplace(customer);
        }
        await table.ExecuteBatchAsync(batch);
        foreach (var (row, number) in rows.Zip(Enumerable.Range(1, rows.Length)))
        {
            var read = (Customer?)(await table.ExecuteAsync(TableOperation.Retrieve<Customer>(partition, row))).Result;
            Expect.Equal(Customer.Numbered(partition, number).Points, read?.Points);
            Expect.Equal(Customer.Numbered(partition, number).Token, read?.Token);
        }
    }

    [Case("a batch of more than 4 MiB is RequestBodyTooLarge")]
    public static async Task TooLarge(Account account)
    {
        var table = await account.NewTable();
        TableBatchOperation batch = [];
        for (var i = 0; i < 100; i++)
        {
            var value = new EntityProperty(new byte[48 * 1024]);
            batch.Insert(new DynamicTableEntity("p", $"{i}") { Properties = { ["Value"] = value } });
        }
        await Expect.Refused(413, "RequestBodyTooLarge", () => table.ExecuteBatchAsync(batch));
        Expect.Equal(0, (await Contents(table)).Count);
    }
}
