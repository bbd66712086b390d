namespace Rocktable.Clients;

internal static class Queries
{
    // A table with customers 1 to 3 of partition p.
    private static async Task<CloudTable> WithThree(Account account)
    {
        var table = await account.NewTable();
        TableBatchOperation batch = [];
        for (var number = 1; number <= 3; number++) batch.Insert(Customer.Numbered("p", number));
        await table.ExecuteBatchAsync(batch);
        return table;
    }

    private static async Task<string[]> Rows(CloudTable table, string? filter, int? take = null)
    {
        List<string> rows = [];
        TableContinuationToken? token = null;
        do
        {
            var query = new TableQuery { FilterString = filter, SelectColumns = ["RowKey"], TakeCount = take };
            var segment = await table.ExecuteQuerySegmentedAsync(query, token);
            rows.AddRange(segment.Results.Select(e => e.RowKey));
            token = segment.ContinuationToken;
        }
        while (token is not null);
        return [.. rows];
    }

    // `condition` makes a filter that compares with the value of customer 2.
    private static async Task Compares(Account account, Func<string, string> condition)
    {
        var table = await WithThree(account);
        Expect.Items(["0002"], await Rows(table, condition(QueryComparisons.Equal)));
        Expect.Items(["0001", "0003"], await Rows(table, condition(QueryComparisons.NotEqual)));
        Expect.Items(["0003"], await Rows(table, condition(QueryComparisons.GreaterThan)));
        Expect.Items(["0002", "0003"], await Rows(table, condition(QueryComparisons.GreaterThanOrEqual)));
        Expect.Items(["0001"], await Rows(table, condition(QueryComparisons.LessThan)));
        Expect.Items(["0001", "0002"], await Rows(table, condition(QueryComparisons.LessThanOrEqual)));
    }

    private static readonly Customer Second = Customer.Numbered("p", 2);

    [Case("a filter compares keys")]
    public static Task Keys(Account account) =>
        Compares(account, operation => TableQuery.GenerateFilterCondition("RowKey", operation, Second.RowKey));

    [Case("a filter compares Edm.String")]
    public static Task Strings(Account account) =>
        Compares(account, operation => TableQuery.GenerateFilterCondition("Name", operation, Second.Name));

    [Case("a filter compares Edm.Int32")]
    public static Task Int32s(Account account) =>
        Compares(account, operation => TableQuery.GenerateFilterConditionForInt("Visits", operation, Second.Visits));

    [Case("a filter compares Edm.Int64")]
    public static Task Int64s(Account account) =>
        Compares(account, operation => TableQuery.GenerateFilterConditionForLong("Points", operation, Second.Points));

    [Case("a filter compares Edm.Double")]
    public static Task Doubles(Account account) =>
        Compares(account, operation => TableQuery.GenerateFilterConditionForDouble("Ratio", operation, Second.Ratio));

    [Case("a filter compares Edm.DateTime")]
    public static Task DateTimes(Account account) =>
        Compares(account, operation => TableQuery.GenerateFilterConditionForDate("Since", operation, Second.Since));

    [Case("a filter compares Edm.Guid")]
    public static Task Guids(Account account) =>
        Compares(account, operation => TableQuery.GenerateFilterConditionForGuid("Token", operation, Second.Token));

    [Case("a filter compares Edm.Binary")]
    public static Task Binaries(Account account) =>
        Compares(account, operation => TableQuery.GenerateFilterConditionForBinary("Picture", operation, Second.Picture));

    [Case("a filter compares Edm.Boolean")]
    public static async Task Booleans(Account account)
    {
        var table = await WithThree(account);
        string Active(string operation) => TableQuery.GenerateFilterConditionForBool("Active", operation, true);
        Expect.Items(["0002"], await Rows(table, Active(QueryComparisons.Equal)));
        Expect.Items(["0001", "0003"], await Rows(table, Active(QueryComparisons.NotEqual)));
        Expect.Items(["0002"], await Rows(table, "Active"));
        Expect.Items(["0001", "0003"], await Rows(table, "not Active"));
    }

    [Case("a filter compares the timestamp")]
    public static async Task Timestamps(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "first")));
        var first = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "first"))).Result;
        await Task.Delay(20);  // the literal of the filter has no fraction of less than 100 ns, a clock may have
        await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "second")));
        string First(string operation) => TableQuery.GenerateFilterConditionForDate("Timestamp", operation, first.Timestamp);
        Expect.Items(["second"], await Rows(table, First(QueryComparisons.GreaterThan)));
        Expect.Items(["first"], await Rows(table, First(QueryComparisons.Equal)));
    }

    [Case("filters are combined with and, or, not and parentheses")]
    public static async Task Combined(Account account)
    {
        var table = await WithThree(account);
        var one = TableQuery.GenerateFilterConditionForInt("Visits", QueryComparisons.Equal, 1);
        var three = TableQuery.GenerateFilterCondition("RowKey", QueryComparisons.Equal, "0003");
        var active = TableQuery.GenerateFilterConditionForBool("Active", QueryComparisons.Equal, true);
        Expect.Items(["0001", "0003"], await Rows(table, TableQuery.CombineFilters(one, TableOperators.Or, three)));
        Expect.Items([], await Rows(table, TableQuery.CombineFilters(one, TableOperators.And, three)));
        Expect.Items(["0002"], await Rows(table, $"not ({TableQuery.CombineFilters(one, TableOperators.Or, three)})"));
        Expect.Items(["0001", "0002"], await Rows(table, $"{active} or {three} and {active} or {one}"));
    }

    [Case("a filter with quotes, signs and other scripts finds what it names")]
    public static async Task Literals(Account account)
    {
        var table = await account.NewTable();
        string[] values = ["it's", "a+b", "100%", "x&y=z", "Владимир", "😀", "a/b?c#d", ""];
        for (var i = 0; i < values.Length; i++)
        {
            var entity = new DynamicTableEntity("p", $"{i}") { Properties = { ["Name"] = new EntityProperty(values[i]) } };
            await table.ExecuteAsync(TableOperation.Insert(entity));
        }
        for (var i = 0; i < values.Length; i++)
        {
            var filter = TableQuery.GenerateFilterCondition("Name", QueryComparisons.Equal, values[i]);
            Expect.Items([$"{i}"], await Rows(table, filter));
        }
    }

    [Case("an entity without the property is found by no comparison, not by ne either")]
    public static async Task MissingProperty(Account account)
    {
        var table = await WithThree(account);
        await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "bare")));
        var notTwo = TableQuery.GenerateFilterConditionForInt("Visits", QueryComparisons.NotEqual, 2);
        Expect.Items(["0001", "0003"], await Rows(table, notTwo));
        Expect.Items([], await Rows(table, TableQuery.GenerateFilterConditionForInt("Age", QueryComparisons.LessThan, 99)));
        Expect.Items(["0002", "bare"], await Rows(table, $"not ({notTwo})"));
    }

    [Case("a value of another type is never equal")]
    public static async Task OtherTypes(Account account)
    {
        var table = await WithThree(account);
        foreach (var (name, text) in new[] { ("Visits", "2"), ("Token", $"{Second.Token}"), ("Points", $"{Second.Points}") })
            Expect.Items([], await Rows(table, TableQuery.GenerateFilterCondition(name, QueryComparisons.Equal, text)));
    }

    [Case("a filter that is none, or not implemented, is refused")]
    public static async Task BadFilters(Account account)
    {
        var table = await WithThree(account);
        await Expect.Refused(400, "InvalidInput", () => Rows(table, "aaa bbb ccc"));
        await Expect.Refused(400, "InvalidInput", () => Rows(table, "(Visits eq 1"));
        await Expect.Refused(501, "NotImplemented", () => Rows(table, "startswith(Name,'name')"));
    }

    [Case("a selection brings the columns that it names, and null for what an entity has not")]
    public static async Task Projection(Account account)
    {
        var table = await WithThree(account);
        var query = new TableQuery<DynamicTableEntity>().Select(["Name", "Nowhere"]);
        var found = await table.ExecuteQuerySegmentedAsync(query, null);
        foreach (var (entity, number) in found.Results.Zip([1, 2, 3]))
        {
            Expect.Equal(Customer.Numbered("p", number).Name, entity.Properties["Name"].StringValue);
            Expect.True(entity.Properties.ContainsKey("Nowhere"));
            Expect.Equal(null, entity.Properties["Nowhere"].PropertyAsObject);
            Expect.False(entity.Properties.ContainsKey("Visits"));
            Expect.Equal($"{number:d4}", entity.RowKey);
        }
    }

    [Case("a selection without system properties brings none")]
    public static async Task ProjectionAlone(Account account)
    {
        var table = await WithThree(account);
        var options = new TableRequestOptions { ProjectSystemProperties = false };
        EntityResolver<string?> resolver =
            (partition, row, _, properties, _) => $"{partition}|{row}|{properties["Name"].StringValue}";
        var query = new TableQuery().Select(["Name"]);
        var found = await table.ExecuteQuerySegmentedAsync(query, resolver, null, options, null);
        Expect.Items(["||name b", "||name c", "||name d"], found.Results);
    }

    [Case("a resolver makes what the program wants of a projection")]
    public static async Task Resolver(Account account)
    {
        var table = await WithThree(account);
        EntityResolver<long> resolver = (_, _, _, properties, _) => properties["Points"].Int64Value!.Value / 10_000_000_000L;
        var found = await table.ExecuteQuerySegmentedAsync(new TableQuery().Select(["Points"]), resolver, null);
        Expect.Items([1L, 2L, 3L], found.Results);
    }

    [Case("entities come in the order of their keys")]
    public static async Task Order(Account account)
    {
        var table = await account.NewTable();
        foreach (var key in new[] { "b", "a", "B", "10", "9", "é", "z", "ab" })
            await table.ExecuteAsync(TableOperation.Insert(new TableEntity(key, key)));
        Expect.Items(["10", "9", "B", "a", "ab", "b", "z", "é"], await Rows(table, null));
    }

    [Case("Take bounds a segment, and the next segment goes on")]
    public static async Task Take(Account account)
    {
        var table = await account.NewTable();
        TableBatchOperation batch = [];
        for (var i = 0; i < 12; i++) batch.Insert(new TableEntity("p", $"{i:d2}"));
        await table.ExecuteBatchAsync(batch);
        var first = await table.ExecuteQuerySegmentedAsync(new TableQuery<Customer>().Take(5), null);
        Expect.Items(["00", "01", "02", "03", "04"], first.Results.Select(e => e.RowKey));
        Expect.True(first.ContinuationToken is not null);
        var next = await table.ExecuteQuerySegmentedAsync(new TableQuery<Customer>().Take(5), first.ContinuationToken);
        Expect.Items(["05", "06", "07", "08", "09"], next.Results.Select(e => e.RowKey));
        Expect.Equal(12, (await Rows(table, null, 5)).Length);
    }

    [Case("1,005 entities come in segments of at most 1,000, and go on by the text of a token")]
    public static async Task Segments(Account account)
    {
        var table = await account.NewTable();
        for (var start = 0; start < 1005; start += 100)
        {
            TableBatchOperation batch = [];
            for (var i = start; i < Math.Min(start + 100, 1005); i++)
                batch.Insert(new TableEntity("partition é", $"row {i:d4}"));
            await table.ExecuteBatchAsync(batch);
        }
        var first = await table.ExecuteQuerySegmentedAsync(new TableQuery(), null);
        Expect.Equal(1000, first.Results.Count);
        var second = await table.ExecuteQuerySegmentedAsync(new TableQuery(), Reread(first.ContinuationToken));
        Expect.Items([.. Enumerable.Range(1000, 5).Select(i => $"row {i:d4}")], second.Results.Select(e => e.RowKey));
        Expect.True(second.ContinuationToken is null);
    }

    // The token as a program keeps it between two runs.
    private static TableContinuationToken Reread(TableContinuationToken token) => new()
    {
        NextPartitionKey = new string(token.NextPartitionKey),
        NextRowKey = new string(token.NextRowKey),
        TargetLocation = token.TargetLocation,
    };

    [Case("a query that finds nothing ends without a token")]
    public static async Task Nothing(Account account)
    {
        var table = await WithThree(account);
        var found = await table.ExecuteQuerySegmentedAsync(new TableQuery().Where("PartitionKey eq 'nobody'"), null);
        Expect.Equal(0, found.Results.Count);
        Expect.True(found.ContinuationToken is null);
    }

#if COSMOS_TABLE
    [Case("LINQ becomes a filter, a selection and a number")]
    public static async Task Linq(Account account)
    {
        var table = await WithThree(account);
        await Task.Run(() =>
        {
            var late = from c in table.CreateQuery<Customer>()
                       where c.PartitionKey == "p" && c.Points > 10_000_000_000L && !c.Active
                       select c;
            Expect.Items(["0003"], late.ToList().Select(c => c.RowKey));
            var named = from c in table.CreateQuery<Customer>()
                        where c.Since >= Second.Since && c.Token != Guid.Empty
                        select new { c.Name };
            Expect.Items(["name c", "name d"], named.ToList().Select(c => c.Name!));
            var two = table.CreateQuery<Customer>().Where(c => c.PartitionKey == "p").Take(2);
            Expect.Items(["0001", "0002"], two.ToList().Select(c => c.RowKey));
        });
    }

    [Case("the synchronous calls do the same")]
    public static async Task Synchronous(Account account)
    {
        var table = account.Table();
        await Task.Run(() =>
        {
            Expect.True(table.CreateIfNotExists());
            Expect.Equal(204, table.Execute(TableOperation.Insert(Customer.Numbered("p", 1))).HttpStatusCode);
            TableBatchOperation batch = [];
            batch.Insert(Customer.Numbered("p", 2));
            Expect.Equal(1, table.ExecuteBatch(batch).Count);
            Expect.Items([1, 2], table.ExecuteQuery(new TableQuery<Customer>()).Select(c => c.Visits));
            Expect.Items([table.Name], account.Client().ListTables(table.Name).Select(t => t.Name));
            Expect.True(table.DeleteIfExists());
        });
    }
#endif
}
