using System.Collections.Concurrent;

namespace Rocktable.Clients;

// The changes that reports advise, as they print them for this SDK: tests/clients/python/test_design_advice.py compares.
internal static class DesignCode
{
    private static IEnumerable<TableEntity> Entities() => Enumerable.Range(0, 150).Select(i => new TableEntity($"p{i % 3}", $"{i:D3}")
    {
        ["Number"] = i,
        ["Status"] = i % 75 == 0 ? "open" : "done",
        ["Customer"] = $"c{i % 6}",
        ["Age"] = i,
        ["Created"] = new DateTimeOffset(2026, 11, 1, 0, 0, 0, TimeSpan.Zero).AddHours(i),
        ["IsOpen"] = i % 7 == 0,
    });

    private static async Task<TableClient> Filled(Account account)
    {
        var table = await account.NewTable();
        foreach (var partition in Entities().GroupBy(one => one.PartitionKey))
            await table.SubmitTransactionAsync(partition.Select(one => new TableTransactionAction(TableTransactionActionType.Add, one)));
        return table;
    }

    private static int[] Numbers(IEnumerable<TableEntity> found) => [.. found.Select(one => one.GetInt32("Number")!.Value).Order()];

    private static async Task<int[]> Numbers(AsyncPageable<TableEntity> found)
    {
        List<TableEntity> entities = [];
        await foreach (var one in found) entities.Add(one);
        return Numbers(entities);
    }

    [Case("advice: an index in the partition")]
    public static async Task IndexInPartition(Account account)
    {
        var table = await account.NewTable();
        foreach (var entity in Entities())
        {
            var index = new TableEntity(entity) { RowKey = $"Status:{entity["Status"]}:{entity.RowKey}" };
            await table.SubmitTransactionAsync(new[] { entity, index }.Select(one =>
                new TableTransactionAction(TableTransactionActionType.UpsertReplace, one)));
        }
        string partitionKey = "p0";
        string status = "open";
        string key = partitionKey, low = $"Status:{status}:", high = $"Status:{status};";
        var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter($"PartitionKey eq {key} and RowKey ge {low} and RowKey lt {high}"));
        Expect.Items([0, 75], await Numbers(found));
    }

    [Case("advice: an index in the partition, and a range of times")]
    public static async Task RangeInPartition(Account account)
    {
        var table = await account.NewTable();
        foreach (var entity in Entities())
        {
            var index = new TableEntity(entity) { RowKey = $"Created:{entity["Created"]:yyyy-MM-ddTHH:mm:ss.fffffffZ}:{entity.RowKey}" };
            await table.SubmitTransactionAsync(new[] { entity, index }.Select(one =>
                new TableTransactionAction(TableTransactionActionType.UpsertReplace, one)));
        }
        string partitionKey = "p0";
        var begin = new DateTimeOffset(2026, 11, 1, 6, 0, 0, TimeSpan.Zero);
        var end = new DateTimeOffset(2026, 11, 1, 12, 0, 0, TimeSpan.Zero);
        string key = partitionKey, low = $"Created:{begin:yyyy-MM-ddTHH:mm:ss.fffffffZ}", high = $"Created:{end:yyyy-MM-ddTHH:mm:ss.fffffffZ}";
        var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter($"PartitionKey eq {key} and RowKey ge {low} and RowKey lt {high}"));
        Expect.Items([6, 9], await Numbers(found));
    }

    [Case("advice: an index in other partitions")]
    public static async Task IndexElsewhere(Account account)
    {
        var table = await account.NewTable();
        foreach (var entity in Entities())
        {
            var index = new TableEntity(entity) { PartitionKey = $"Customer:{entity["Customer"]}", RowKey = $"{entity.PartitionKey}:{entity.RowKey}" };
            await table.UpsertEntityAsync(index, TableUpdateMode.Replace);
            await table.UpsertEntityAsync(entity, TableUpdateMode.Replace);
        }
        string customer = "c1";
        string key = $"Customer:{customer}";
        var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter($"PartitionKey eq {key}"));
        Expect.Items([.. Enumerable.Range(0, 25).Select(i => 1 + i * 6)], await Numbers(found));
    }

    [Case("advice: an index in other partitions, and a range of numbers")]
    public static async Task RangeElsewhere(Account account)
    {
        var table = await account.NewTable();
        foreach (var entity in Entities())
        {
            var index = new TableEntity(entity) { PartitionKey = $"Customer:{entity["Customer"]}", RowKey = $"{entity["Age"]:D10}:{entity.PartitionKey}:{entity.RowKey}" };
            await table.UpsertEntityAsync(index, TableUpdateMode.Replace);
            await table.UpsertEntityAsync(entity, TableUpdateMode.Replace);
        }
        string customer = "c1";
        var begin = 130;
        string key = $"Customer:{customer}", low = $"{begin:D10}";
        var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter($"PartitionKey eq {key} and RowKey ge {low}"));
        Expect.Items([133, 139, 145], await Numbers(found));
    }

    [Case("advice: an index of a Boolean property")]
    public static async Task Flag(Account account)
    {
        var table = await account.NewTable();
        foreach (var entity in Entities())
        {
            var index = new TableEntity(entity) { PartitionKey = $"IsOpen:{entity["IsOpen"]}", RowKey = $"{entity.PartitionKey}:{entity.RowKey}" };
            await table.UpsertEntityAsync(index, TableUpdateMode.Replace);
            await table.UpsertEntityAsync(entity, TableUpdateMode.Replace);
        }
        bool isOpen = true;
        string key = $"IsOpen:{isOpen}";
        var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter($"PartitionKey eq {key}"));
        Expect.Items([.. Enumerable.Range(0, 22).Select(i => i * 7)], await Numbers(found));
    }

    [Case("advice: an index in one partition")]
    public static async Task RangeInOnePartition(Account account)
    {
        var table = await account.NewTable();
        foreach (var entity in Entities())
        {
            var index = new TableEntity(entity) { PartitionKey = "Age", RowKey = $"{entity["Age"]:D10}:{entity.PartitionKey}:{entity.RowKey}" };
            await table.UpsertEntityAsync(index, TableUpdateMode.Replace);
            await table.UpsertEntityAsync(entity, TableUpdateMode.Replace);
        }
        var begin = 8;
        var end = 11;
        string key = "Age", low = $"{begin:D10}", high = $"{end:D10}";
        var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter($"PartitionKey eq {key} and RowKey ge {low} and RowKey lt {high}"));
        Expect.Items([8, 9, 10], await Numbers(found));
    }

    [Case("advice: an index of the RowKey")]
    public static async Task Row(Account account)
    {
        var table = await account.NewTable();
        foreach (var entity in Entities())
        {
            var index = new TableEntity(entity) { PartitionKey = $"RowKey:{entity.RowKey}", RowKey = entity.PartitionKey };
            await table.UpsertEntityAsync(index, TableUpdateMode.Replace);
            await table.UpsertEntityAsync(entity, TableUpdateMode.Replace);
        }
        string rowKey = "007";
        string key = $"RowKey:{rowKey}";
        var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter($"PartitionKey eq {key}"));
        Expect.Items([7], await Numbers(found));
    }

    [Case("advice: a query of each partition")]
    public static async Task EachPartition(Account account)
    {
        var table = await Filled(account);
        string[] partitionKeys = ["p0", "p1"];
        var found = new ConcurrentBag<TableEntity>();
        await Task.WhenAll(partitionKeys.Select(async key => {
            await foreach (var entity in table.QueryAsync<TableEntity>(
                TableClient.CreateQueryFilter($"PartitionKey eq {key}")))
                found.Add(entity);
        }));
        Expect.Items([.. Enumerable.Range(0, 150).Where(i => i % 3 != 2)], Numbers(found));
    }

    [Case("advice: a read of each row")]
    public static async Task EachRow(Account account)
    {
        var table = await Filled(account);
        string partitionKey = "p0";
        string[] rowKeys = ["003", "057"];
        var found = await Task.WhenAll(rowKeys.Select(async rowKey =>
            (await table.GetEntityAsync<TableEntity>(partitionKey, rowKey)).Value));
        Expect.Items([3, 57], Numbers(found));
    }

    [Case("advice: one query instead of point reads")]
    public static async Task OneQuery(Account account)
    {
        var table = await Filled(account);
        string partitionKey = "p0";
        var rowKeys = Enumerable.Range(0, 20).Select(i => $"{i * 3:D3}");
        var (low, high) = (rowKeys.Min(StringComparer.Ordinal), rowKeys.Max(StringComparer.Ordinal));
        var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter(
            $"PartitionKey eq {partitionKey} and RowKey ge {low} and RowKey le {high}"));
        Expect.Items([.. Enumerable.Range(0, 20).Select(i => i * 3)], await Numbers(found));
    }

    [Case("advice: transactions instead of single writes")]
    public static async Task OneTransaction(Account account)
    {
        var table = await account.NewTable();
        var entities = Entities().Where(one => one.PartitionKey == "p0");
        foreach (var part in entities.Chunk(100))
            await table.SubmitTransactionAsync(part.Select(entity =>
                new TableTransactionAction(TableTransactionActionType.UpsertReplace, entity)));
        Expect.Items([.. Enumerable.Range(0, 50).Select(i => i * 3)], await Numbers(table.QueryAsync<TableEntity>()));
    }
}
