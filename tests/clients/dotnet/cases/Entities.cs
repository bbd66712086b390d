namespace Rocktable.Clients;

internal static class Entities
{
    private const string OlderETag = "W/\"datetime'2015-01-01T00%3A00%3A00Z'\"";

    private static async Task<Customer?> Read(CloudTable table, string partition = "p", string row = "0001") =>
        (Customer?)(await table.ExecuteAsync(TableOperation.Retrieve<Customer>(partition, row))).Result;

    // A table with customer 1 of partition p, as it was stored.
    private static async Task<(CloudTable Table, Customer Stored)> WithCustomer(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(Customer.Numbered("p", 1)));
        return (table, (await Read(table))!);
    }

    [Case("an insert answers 204 and an ETag; the same keys again are EntityAlreadyExists")]
    public static async Task Insert(Account account)
    {
        var table = await account.NewTable();
        var result = await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "r")));
        Expect.Equal(204, result.HttpStatusCode);
        Expect.True(result.Etag.StartsWith("W/\"datetime'", StringComparison.Ordinal));
        var again = TableOperation.Insert(new TableEntity("p", "r"));
        await Expect.Refused(409, "EntityAlreadyExists", () => table.ExecuteAsync(again));
    }

    [Case("an insert with echo answers 201 and the entity with its timestamp")]
    public static async Task InsertWithEcho(Account account)
    {
        var table = await account.NewTable();
        var entity = new DynamicTableEntity("p", "r") { Properties = { ["Points"] = new EntityProperty(5_000_000_000L) } };
        var result = await table.ExecuteAsync(TableOperation.Insert(entity, true));
        Expect.Equal(201, result.HttpStatusCode);
        var echoed = (DynamicTableEntity)result.Result;
        Expect.Equal(5_000_000_000L, echoed.Properties["Points"].Int64Value);
        Expect.True((DateTimeOffset.UtcNow - echoed.Timestamp).Duration() < TimeSpan.FromMinutes(15));
        var read = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "r"))).Result;
        Expect.Equal(read.Timestamp, echoed.Timestamp);
        Expect.Equal(read.ETag, result.Etag);
    }

    [Case("an entity of a class keeps all its properties")]
    public static async Task RoundTripOfAClass(Account account)
    {
        var table = await account.NewTable();
        var written = Customer.Numbered("p", 1);
        written.Secret = "never sent";
        await table.ExecuteAsync(TableOperation.Insert(written));
        var read = (await Read(table))!;
        Expect.Equal(written.Name, read.Name);
        Expect.Equal(written.Visits, read.Visits);
        Expect.Equal(written.Points, read.Points);
        Expect.Equal(written.Ratio, read.Ratio);
        Expect.Equal(written.Active, read.Active);
        Expect.Equal(written.Token, read.Token);
        Expect.Equal(written.Since, read.Since);
        Expect.Items(written.Picture!, read.Picture);
        Expect.Equal(null, read.Age);
        Expect.Equal(null, read.Secret);
        var stored = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "0001"))).Result;
        Expect.False(stored.Properties.ContainsKey("Age"));  // null is no property
        Expect.False(stored.Properties.ContainsKey("Secret"));
    }

    [Case("an object with parts is flattened and put together again")]
    public static async Task Flattened(Account account)
    {
        var table = await account.NewTable();
        var born = new DateTime(1970, 10, 4, 0, 0, 0, DateTimeKind.Utc);
        var order = new Order { Number = 17, Buyer = new Person { Name = "Chloé", Born = born } };
        var flat = new DynamicTableEntity("p", "r", null, TableEntity.Flatten(order, new OperationContext()));
        await table.ExecuteAsync(TableOperation.Insert(flat));
        var read = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "r"))).Result;
        Expect.Equal("Chloé", read.Properties["Buyer_Name"].StringValue);
        var back = TableEntity.ConvertBack<Order>(read.Properties, new OperationContext());
        Expect.Equal(17, back.Number);
        Expect.Equal(born, back.Buyer!.Born);
    }

    internal sealed class Order
    {
        public int Number { get; set; }
        public Person? Buyer { get; set; }
    }

    internal sealed class Person
    {
        public string? Name { get; set; }
        public DateTime Born { get; set; }
    }

    [Case("an entity that is not there is a 404 without an exception")]
    public static async Task AbsentEntity(Account account)
    {
        var table = await account.NewTable();
        var result = await table.ExecuteAsync(TableOperation.Retrieve<Customer>("p", "nobody"));
        Expect.Equal(404, result.HttpStatusCode);
        Expect.True(result.Result is null);
    }

    [Case("a retrieve selects columns")]
    public static async Task RetrieveColumns(Account account)
    {
        var (table, stored) = await WithCustomer(account);
        var result = await table.ExecuteAsync(TableOperation.Retrieve<Customer>("p", "0001", ["Name"]));
        var read = (Customer)result.Result;
        Expect.Equal(stored.Name, read.Name);
        Expect.Equal(0, read.Visits);
        Expect.Equal(stored.ETag, result.Etag);
    }

    [Case("a retrieve with a resolver gives what the resolver makes")]
    public static async Task RetrieveResolved(Account account)
    {
        var (table, stored) = await WithCustomer(account);
        EntityResolver<string> resolver = (partition, row, timestamp, properties, etag) =>
            $"{partition}/{row} {properties["Name"].StringValue} {etag == stored.ETag} {timestamp == stored.Timestamp}";
        var result = await table.ExecuteAsync(TableOperation.Retrieve("p", "0001", resolver));
        Expect.Equal($"p/0001 {stored.Name} True True", result.Result as string);
    }

    [Case("a replace leaves nothing of the old entity, and wants its ETag")]
    public static async Task Replace(Account account)
    {
        var (table, stored) = await WithCustomer(account);
        var next = new Customer("p", "0001") { Visits = 7, Since = stored.Since, ETag = stored.ETag };
        var result = await table.ExecuteAsync(TableOperation.Replace(next));
        Expect.Equal(204, result.HttpStatusCode);
        Expect.True(result.Etag != stored.ETag);
        var read = (await Read(table))!;
        Expect.Equal(7, read.Visits);
        Expect.Equal(null, read.Name);

        next.ETag = stored.ETag;
        await Expect.Refused(412, "UpdateConditionNotSatisfied", () => table.ExecuteAsync(TableOperation.Replace(next)));
        next.ETag = "*";
        Expect.Equal(204, (await table.ExecuteAsync(TableOperation.Replace(next))).HttpStatusCode);
        var nobody = new TableEntity("p", "nobody") { ETag = "*" };
        await Expect.Refused(404, "ResourceNotFound", () => table.ExecuteAsync(TableOperation.Replace(nobody)));
    }

    [Case("a merge keeps what it does not name, and wants the ETag")]
    public static async Task Merge(Account account)
    {
        var (table, stored) = await WithCustomer(account);
        var change = new DynamicTableEntity("p", "0001")
        {
            ETag = stored.ETag,
            Properties = { ["Visits"] = new EntityProperty(9), ["New"] = new EntityProperty("x") },
        };
        Expect.Equal(204, (await table.ExecuteAsync(TableOperation.Merge(change))).HttpStatusCode);
        var read = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "0001"))).Result;
        Expect.Equal(9, read.Properties["Visits"].Int32Value);
        Expect.Equal("x", read.Properties["New"].StringValue);
        Expect.Equal(stored.Name, read.Properties["Name"].StringValue);

        change.ETag = OlderETag;
        await Expect.Refused(412, "UpdateConditionNotSatisfied", () => table.ExecuteAsync(TableOperation.Merge(change)));
        var nobody = new DynamicTableEntity("p", "nobody") { ETag = "*" };
        await Expect.Refused(404, "ResourceNotFound", () => table.ExecuteAsync(TableOperation.Merge(nobody)));
    }

    [Case("a merge changes the type of a property")]
    public static async Task MergeOfAnotherType(Account account)
    {
        var (table, _) = await WithCustomer(account);
        var change = new DynamicTableEntity("p", "0001") { ETag = "*", Properties = { ["Visits"] = new EntityProperty("many") } };
        await table.ExecuteAsync(TableOperation.Merge(change));
        var read = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "0001"))).Result;
        Expect.Equal(EdmType.String, read.Properties["Visits"].PropertyType);
    }

    [Case("insert-or-merge and insert-or-replace do so, whatever is there")]
    public static async Task InsertOr(Account account)
    {
        var table = await account.NewTable();
        DynamicTableEntity With(string name) => new("p", "r") { Properties = { [name] = new EntityProperty(1) } };
        async Task<string[]> Names()
        {
            var read = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "r"))).Result;
            return [.. read.Properties.Keys.Order(StringComparer.Ordinal)];
        }

        Expect.Equal(204, (await table.ExecuteAsync(TableOperation.InsertOrMerge(With("a")))).HttpStatusCode);
        Expect.Equal(204, (await table.ExecuteAsync(TableOperation.InsertOrMerge(With("b")))).HttpStatusCode);
        Expect.Items(["a", "b"], await Names());
        Expect.Equal(204, (await table.ExecuteAsync(TableOperation.InsertOrReplace(With("c")))).HttpStatusCode);
        Expect.Items(["c"], await Names());
    }

    [Case("a delete wants the ETag, or takes any")]
    public static async Task Delete(Account account)
    {
        var (table, stored) = await WithCustomer(account);
        var older = new TableEntity("p", "0001") { ETag = OlderETag };
        await Expect.Refused(412, "UpdateConditionNotSatisfied", () => table.ExecuteAsync(TableOperation.Delete(older)));
        Expect.Equal(204, (await table.ExecuteAsync(TableOperation.Delete(stored))).HttpStatusCode);
        var any = new TableEntity("p", "0001") { ETag = "*" };
        await Expect.Refused(404, "ResourceNotFound", () => table.ExecuteAsync(TableOperation.Delete(any)));
        await table.ExecuteAsync(TableOperation.Insert(any));
        any.ETag = "*";
        Expect.Equal(204, (await table.ExecuteAsync(TableOperation.Delete(any))).HttpStatusCode);
    }

    [Case("of writers that read, count and replace, none is lost")]
    public static async Task OptimisticConcurrency(Account account)
    {
        const int writers = 8, rounds = 5;
        var (table, _) = await WithCustomer(account);
        async Task Count()
        {
            for (var done = 0; done < rounds;)
            {
                var read = (await Read(table))!;
                read.Visits++;
                try
                {
                    await table.ExecuteAsync(TableOperation.Replace(read));
                    done++;
                }
                catch (StorageException refusal) when (refusal.RequestInformation.HttpStatusCode == 412)
                {
                }
            }
        }

        await Task.WhenAll(Enumerable.Range(0, writers).Select(_ => Task.Run(Count)));
        Expect.Equal(1 + writers * rounds, (await Read(table))!.Visits);
    }

    [Case("keys and values of any script are kept, and found by their keys")]
    public static async Task Unicode(Account account)
    {
        var table = await account.NewTable();
        string[] keys =
            ["Zoë Müller", "Владимир", "東京", "😀🎉", "it's", "a%20b", "a+b&c=d", "x:@,$;", "\"quoted\"", "(p)", " blank ", ""];
        foreach (var key in keys)
        {
            var entity = new DynamicTableEntity(key, key) { Properties = { ["值"] = new EntityProperty(key + "\n\t\u0001\u2028") } };
            await table.ExecuteAsync(TableOperation.Insert(entity));
        }
        foreach (var key in keys)
        {
            var read = (DynamicTableEntity?)(await table.ExecuteAsync(TableOperation.Retrieve(key, key))).Result;
            Expect.Equal(key + "\n\t\u0001\u2028", read?.Properties["值"].StringValue, $"the value of \"{key}\"");
            var filter = TableQuery.GenerateFilterCondition("PartitionKey", QueryComparisons.Equal, key);
            var found = await table.ExecuteQuerySegmentedAsync(new TableQuery().Where(filter), null);
            Expect.Items([key], found.Results.Select(e => e.RowKey), $"what a filter finds for \"{key}\"");
        }
    }

    [Case("characters that no key may have are refused")]
    public static async Task BadKeys(Account account)
    {
        var table = await account.NewTable();
        Task Insert(TableEntity entity) => table.ExecuteAsync(TableOperation.Insert(entity));
        foreach (var key in new[] { "a/b", "a\\b", "a#b", "a?b", "a\u0007b", "a\u0085b" })
            await Expect.Refused(400, "OutOfRangeInput", () => Insert(new TableEntity("p", key)));
        await Expect.Refused(400, "PropertyValueTooLarge", () => Insert(new TableEntity("p", new string('k', 2048))));
        await Expect.Refused(400, "PropertiesNeedValue", () => Insert(new NoRowKey()));
    }

    internal sealed class NoRowKey : TableEntity
    {
        public NoRowKey() => PartitionKey = "p";
    }
}
