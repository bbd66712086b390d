namespace Rocktable.Clients;

internal static class Types
{
    private static readonly TablePayloadFormat[] Formats =
        [TablePayloadFormat.Json, TablePayloadFormat.JsonFullMetadata, TablePayloadFormat.JsonNoMetadata];

    // What `value` is after it was stored and read again.
    private static async Task<EntityProperty> Stored(CloudTable table, EntityProperty value)
    {
        var entity = new DynamicTableEntity("p", "r") { Properties = { ["Value"] = value } };
        await table.ExecuteAsync(TableOperation.InsertOrReplace(entity));
        return ((DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "r"))).Result).Properties["Value"];
    }

    private static async Task Kept<T>(Account account, T[] values, Func<T, EntityProperty> property, EdmType type)
    {
        var table = await account.NewTable();
        foreach (var value in values)
        {
            var read = await Stored(table, property(value));
            Expect.Equal(type, read.PropertyType);
            Expect.Equal(property(value), read, $"what was stored as {value}");
        }
    }

    [Case("Edm.String is kept: empty, long, of any character")]
    public static Task Strings(Account account) =>
        Kept(account, ["", "ä\u0000\"\\/</>", new string('x', 32768)], v => new EntityProperty(v), EdmType.String);

    [Case("Edm.Boolean is kept")]
    public static Task Booleans(Account account) => Kept(account, [true, false], v => new EntityProperty(v), EdmType.Boolean);

    [Case("Edm.Int32 is kept up to its ends")]
    public static Task Int32s(Account account) =>
        Kept(account, [int.MinValue, -1, 0, int.MaxValue], v => new EntityProperty(v), EdmType.Int32);

    [Case("Edm.Int64 is kept up to its ends")]
    public static Task Int64s(Account account) =>
        Kept(account, [long.MinValue, -1, 0, 9007199254740993, long.MaxValue], v => new EntityProperty(v), EdmType.Int64);

    [Case("Edm.Double is kept: integral, the largest, the smallest")]
    public static Task Doubles(Account account)
    {
        double[] values = [0, 1, -2.5, 0.1, 1e15, 123456789012345.12, double.MaxValue, double.MinValue, double.Epsilon];
        return Kept(account, values, v => new EntityProperty(v), EdmType.Double);
    }

#if !COSMOS_TABLE  // that library sends these as text without a type, which the service keeps as text
    [Case("Edm.Double is kept: infinite, not a number")]
    public static async Task SpecialDoubles(Account account)
    {
        await Kept(account, [double.PositiveInfinity, double.NegativeInfinity], v => new EntityProperty(v), EdmType.Double);
        var read = await Stored(await account.NewTable(), new EntityProperty(double.NaN));
        Expect.True(read.DoubleValue is { } value && double.IsNaN(value));
    }
#endif

    [Case("Edm.DateTime is kept to 100 ns, from 1601 to 9999")]
    public static async Task DateTimes(Account account)
    {
        DateTime[] values =
        [
            new(1601, 1, 1, 0, 0, 0, DateTimeKind.Utc),
            new(2014, 5, 7, 8, 20, 53, DateTimeKind.Utc),
            new DateTime(2021, 5, 26, 15, 48, 10, DateTimeKind.Utc).AddTicks(6785697),
            DateTime.SpecifyKind(DateTime.MaxValue, DateTimeKind.Utc),
        ];
        await Kept(account, values, v => new EntityProperty(v), EdmType.DateTime);
        var elsewhere = new DateTimeOffset(2020, 6, 1, 12, 0, 0, TimeSpan.FromHours(2));
        var read = await Stored(await account.NewTable(), new EntityProperty(elsewhere));
        Expect.Equal(elsewhere.UtcDateTime, read.DateTime);
    }

    [Case("a DateTime before 1601 is refused")]
    public static async Task EarlyDateTimes(Account account)
    {
        var table = await account.NewTable();
        foreach (var early in new[] { new DateTime(1, 1, 1, 0, 0, 0, DateTimeKind.Utc), new(1600, 12, 31, 23, 59, 59, DateTimeKind.Utc) })
            await Expect.Refused(400, "OutOfRangeInput", () => Stored(table, new EntityProperty(early)));
    }

    [Case("Edm.Guid is kept")]
    public static Task Guids(Account account) =>
        Kept(account, [Guid.Empty, Guid.Parse("C9DA6455-213D-42C9-9A79-3E9149A57833")], v => new EntityProperty(v), EdmType.Guid);

    [Case("Edm.Binary is kept: empty, all bytes, 64 KiB")]
    public static Task Binaries(Account account)
    {
        byte[] all = [.. Enumerable.Range(0, 256).Select(i => (byte)i)];
        return Kept(account, [[], all, new byte[65536]], v => new EntityProperty(v), EdmType.Binary);
    }

    [Case("a property of null is none")]
    public static async Task Nulls(Account account)
    {
        var table = await account.NewTable();
        var entity = new DynamicTableEntity("p", "r") { Properties = { ["Kept"] = new EntityProperty(1) } };
        entity.Properties["Number"] = new EntityProperty((long?)null);
        entity.Properties["Text"] = new EntityProperty((string?)null);
        await table.ExecuteAsync(TableOperation.Insert(entity));
        var read = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "r"))).Result;
        Expect.Items(["Kept"], read.Properties.Keys);
    }

    [Case("all types together are kept by each payload format")]
    public static async Task PayloadFormats(Account account)
    {
        var table = await account.NewTable();
        var written = Customer.Numbered("p", 3);
        foreach (var format in Formats)
        {
            var options = new TableRequestOptions { PayloadFormat = format };
            await table.ExecuteAsync(TableOperation.InsertOrReplace(written), options, null);
            // Without metadata, the library has the types from the class.
            var read = (Customer)(await table.ExecuteAsync(TableOperation.Retrieve<Customer>("p", "0003"), options, null)).Result;
            Expect.Equal(Told(written), Told(read), $"what {format} brings");
            var found = await table.ExecuteQuerySegmentedAsync(new TableQuery<Customer>(), null, options, null);
            Expect.Items([written.Points], found.Results.Select(c => c.Points));
        }
    }

    private static string Told(Customer customer) =>
        $"{customer.Name} {customer.Points} {customer.Ratio} {customer.Token} {customer.Since:o} {Convert.ToHexString(customer.Picture!)}";

    [Case("without metadata, a resolver of types gives dynamic entities theirs")]
    public static async Task PropertyResolver(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(Customer.Numbered("p", 3)));
        var options = new TableRequestOptions
        {
            PayloadFormat = TablePayloadFormat.JsonNoMetadata,
            PropertyResolver = (_, _, name, _) => name switch
            {
                "Points" => EdmType.Int64,
                "Token" => EdmType.Guid,
                "Since" => EdmType.DateTime,
                "Picture" => EdmType.Binary,
                "Ratio" => EdmType.Double,
                "Visits" => EdmType.Int32,
                "Active" => EdmType.Boolean,
                _ => EdmType.String,
            },
        };
        var read = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "0003"), options, null)).Result;
        Expect.Equal(30_000_000_000L, read.Properties["Points"].Int64Value);
        Expect.Equal(EdmType.Guid, read.Properties["Token"].PropertyType);
        Expect.Items<byte>([3, 0xff], read.Properties["Picture"].BinaryValue);
    }

    [Case("an echo comes in each payload format")]
    public static async Task EchoInEachFormat(Account account)
    {
        var table = await account.NewTable();
        foreach (var format in Formats)
        {
            var options = new TableRequestOptions { PayloadFormat = format };
            var result = await table.ExecuteAsync(TableOperation.Insert(Customer.Numbered($"{format}", 1), true), options, null);
            Expect.Equal(201, result.HttpStatusCode);
            Expect.Equal(10_000_000_000L, ((Customer)result.Result).Points);
        }
    }
}
