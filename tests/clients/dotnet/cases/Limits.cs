namespace Rocktable.Clients;

internal static class Limits
{
    private static Task Insert(CloudTable table, DynamicTableEntity entity) =>
        table.ExecuteAsync(TableOperation.InsertOrReplace(entity));

    [Case("a string of 32,769 characters and a binary of 65,537 bytes are too large")]
    public static async Task Values(Account account)
    {
        var table = await account.NewTable();
        var text = new DynamicTableEntity("p", "r") { Properties = { ["Value"] = new EntityProperty(new string('x', 32769)) } };
        await Expect.Refused(400, "PropertyValueTooLarge", () => Insert(table, text));
        var binary = new DynamicTableEntity("p", "r") { Properties = { ["Value"] = new EntityProperty(new byte[65537]) } };
        await Expect.Refused(400, "PropertyValueTooLarge", () => Insert(table, binary));
    }

    [Case("an entity of nearly 1 MiB is kept, a larger one refused")]
    public static async Task Entities(Account account)
    {
        var table = await account.NewTable();
        var entity = new DynamicTableEntity("p", "r");
        for (var i = 0; i < 15; i++)
            entity.Properties[$"Value{i}"] = new EntityProperty(Enumerable.Repeat((byte)i, 65536).ToArray());
        await Insert(table, entity);
        var read = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "r"))).Result;
        Expect.Equal(15, read.Properties.Count);
        Expect.True(read.Properties["Value14"].BinaryValue.All(b => b == 14));
        entity.Properties["Value15"] = new EntityProperty(new byte[65536]);
        await Expect.Refused(400, "EntityTooLarge", () => Insert(table, entity));
    }

    [Case("an entity has 252 properties at most")]
    public static async Task Properties(Account account)
    {
        var table = await account.NewTable();
        var entity = new DynamicTableEntity("p", "r");
        for (var i = 0; i < 252; i++) entity.Properties[$"Value{i}"] = new EntityProperty(i);
        await Insert(table, entity);
        var read = (DynamicTableEntity)(await table.ExecuteAsync(TableOperation.Retrieve("p", "r"))).Result;
        Expect.Equal(252, read.Properties.Count);
        entity.Properties["Value252"] = new EntityProperty(252);
        await Expect.Refused(400, "TooManyProperties", () => Insert(table, entity));
    }

    [Case("a property has a name of 255 characters at most, without blanks and dashes")]
    public static async Task Names(Account account)
    {
        var table = await account.NewTable();
        await Insert(table, new DynamicTableEntity("p", "r") { Properties = { [new string('n', 255)] = new EntityProperty(1) } });
        var longer = new DynamicTableEntity("p", "r") { Properties = { [new string('n', 256)] = new EntityProperty(1) } };
        await Expect.Refused(400, "PropertyNameTooLong", () => Insert(table, longer));
        var dashed = new DynamicTableEntity("p", "r") { Properties = { ["a-b"] = new EntityProperty(1) } };
        await Expect.Refused(400, "PropertyNameInvalid", () => Insert(table, dashed));
    }
}
