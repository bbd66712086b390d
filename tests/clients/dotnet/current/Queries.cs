namespace Rocktable.Clients;

internal static class Queries
{
    private static async Task<TableClient> Customers(Account account, int count)
    {
        var table = await account.NewTable();
        foreach (var partition in new[] { "p", "q" })
            foreach (var chunk in Enumerable.Range(0, count).Chunk(100))
                await table.SubmitTransactionAsync(chunk.Select(i =>
                    new TableTransactionAction(TableTransactionActionType.Add, Customer.Numbered(partition, i))));
        return table;
    }

    private static async Task<string[]> Keys<T>(AsyncPageable<T> found)
        where T : ITableEntity
    {
        List<string> keys = [];
        await foreach (var entity in found) keys.Add($"{entity.PartitionKey}{int.Parse(entity.RowKey)}");
        return [.. keys];
    }

    [Case("filters as text")]
    public static async Task Text(Account account)
    {
        var table = await Customers(account, 10);
        foreach (var (filter, expected) in new (string, string[])[]
        {
            ("PartitionKey eq 'p' and RowKey lt '0003'", ["p0", "p1", "p2"]),
            ("Visits gt 8", ["p9", "q9"]),
            ("Points eq 1099511627777L", ["p1", "q1"]),
            ("Score eq 0.25", ["p1", "q1"]),
            ("Active eq true and PartitionKey eq 'q' and Visits le 2", ["q0", "q2"]),
            ("Token eq guid'00000003-0000-0000-0000-000000000000'", ["p3", "q3"]),
            ("Picture eq X'0004FF'", ["p4", "q4"]),
            ("Since lt datetime'2026-01-01T00:00:00.0000001Z'", ["p0", "q0"]),
            ("not (Visits ne 7) and PartitionKey eq 'p'", ["p7"]),
            ("Name eq 'Zoë''s 東京 5' and PartitionKey ne 'q'", ["p5"]),
            ("NoSuchProperty eq 1", []),
        })
            Expect.Items(expected, await Keys(table.QueryAsync<Customer>(filter)), filter);
    }

    [Case("filters as expressions, with values of each type")]
    public static async Task Expressions(Account account)
    {
        var table = await Customers(account, 10);
        var token = new Guid(3, 0, 0, new byte[8]);
        var since = new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero).AddTicks(8);
        byte[] picture = [0, 4, 255];
        Expect.Items(["p0", "p1"], await Keys(table.QueryAsync<Customer>(c => c.PartitionKey == "p" && c.RowKey.CompareTo("0002") < 0)));
        Expect.Items(["p9", "q9"], await Keys(table.QueryAsync<Customer>(c => c.Visits > 8)));
        Expect.Items(["p1", "q1"], await Keys(table.QueryAsync<Customer>(c => c.Points == (1L << 40) + 1)));
        Expect.Items(["p2", "q2"], await Keys(table.QueryAsync<Customer>(c => c.Score == 0.5)));
        Expect.Items(["p3", "q3"], await Keys(table.QueryAsync<Customer>(c => c.Token == token)));
        Expect.Items(["p8", "p9"], await Keys(table.QueryAsync<Customer>(c => c.Since >= since && c.PartitionKey == "p")));
        Expect.Items(["p4", "q4"], await Keys(table.QueryAsync<Customer>(c => c.Picture == picture)));
        Expect.Items(["p1", "q3"], await Keys(table.QueryAsync<Customer>(c =>
            (c.PartitionKey == "p" && c.Visits == 1) || (c.PartitionKey == "q" && c.Visits == 3))));
        Expect.Items(["p7"], await Keys(table.QueryAsync<Customer>(c => !(c.Visits != 7) && c.PartitionKey == "p")));
    }

    [Case("a filter that is made of values quotes them")]
    public static async Task Made(Account account)
    {
        var table = await Customers(account, 3);
        var name = "Zoë's 東京 2";
        var filter = TableClient.CreateQueryFilter($"Name eq {name} and Visits ge {2} and Active eq {true}");
        Expect.Items(["p2", "q2"], await Keys(table.QueryAsync<Customer>(filter)));
        Expect.Items(["p2"], await Keys(table.QueryAsync<Customer>(TableClient.CreateQueryFilter<Customer>(c => c.Name == name && c.PartitionKey == "p"))));
    }

    [Case("pages have at most the wished size, and go on with their token")]
    public static async Task Pages(Account account)
    {
        var table = await Customers(account, 10);
        List<int> sizes = [];
        string? third = null;
        await foreach (var page in table.QueryAsync<Customer>(maxPerPage: 3).AsPages())
        {
            sizes.Add(page.Values.Count);
            if (sizes.Count == 3) third = page.ContinuationToken;
        }
        Expect.Items([3, 3, 3, 3, 3, 3, 2], sizes);
        List<string> rest = [];
        await foreach (var page in table.QueryAsync<Customer>(maxPerPage: 3).AsPages(third))
            rest.AddRange(page.Values.Select(c => $"{c.PartitionKey}{int.Parse(c.RowKey)}"));
        Expect.Items(["p9", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9"], rest);
    }

    [Case("more than 1,000 entities come in several pages, in the order of their keys")]
    public static async Task Many(Account account)
    {
        var table = await Customers(account, 1_100);
        List<int> sizes = [];
        List<string> keys = [];
        await foreach (var page in table.QueryAsync<Customer>(select: ["PartitionKey", "RowKey"]).AsPages())
        {
            sizes.Add(page.Values.Count);
            keys.AddRange(page.Values.Select(c => c.PartitionKey + c.RowKey));
        }
        Expect.Items([1_000, 1_000, 200], sizes);
        Expect.Items([.. keys.Order(StringComparer.Ordinal)], keys);
    }

    [Case("LINQ over what comes")]
    public static async Task Linq(Account account)
    {
        var table = await Customers(account, 20);
        var firsts = await table.QueryAsync<Customer>(c => c.PartitionKey == "q").Where(c => c.Visits % 5 == 0).Select(c => c.Visits).Take(3).ToListAsync();
        Expect.Items([0, 5, 10], firsts.Select(v => v!.Value));
        var page = table.Query<Customer>(c => c.PartitionKey == "p", maxPerPage: 4).AsPages().First();
        Expect.Items(["0000", "0001", "0002", "0003"], page.Values.Select(c => c.RowKey));
    }

    [Case("a selection brings null for a property that is not there")]
    public static async Task Select(Account account)
    {
        var table = await Customers(account, 1);
        await foreach (var entity in table.QueryAsync<TableEntity>("PartitionKey eq 'p'", select: ["Visits", "Nothing"]))
        {
            Expect.Equal(0, entity.GetInt32("Visits"));
            Expect.True(entity["Nothing"] is null);
            Expect.False(entity.ContainsKey("Name"));
        }
    }

    [Case("a filter that cannot be read is InvalidInput")]
    public static async Task Wrong(Account account)
    {
        var table = await account.NewTable();
        await Expect.Refused(400, "InvalidInput", () => Keys(table.QueryAsync<Customer>("Visits eq")));
        await Expect.Refused(404, "TableNotFound", () => Keys(account.Table().QueryAsync<Customer>()));
    }
}
