namespace Rocktable.Clients;

internal static class Access
{
    private const SharedAccessTablePermissions Writing =
        SharedAccessTablePermissions.Add | SharedAccessTablePermissions.Update | SharedAccessTablePermissions.Delete;

    private const SharedAccessTablePermissions Everything = SharedAccessTablePermissions.Query | Writing;

    private const SharedAccessAccountPermissions EverythingOfAccounts =
        SharedAccessAccountPermissions.Read | SharedAccessAccountPermissions.Write | SharedAccessAccountPermissions.Delete |
        SharedAccessAccountPermissions.List | SharedAccessAccountPermissions.Add | SharedAccessAccountPermissions.Create |
        SharedAccessAccountPermissions.Update;

    private const SharedAccessAccountResourceTypes EveryResource =
        SharedAccessAccountResourceTypes.Service | SharedAccessAccountResourceTypes.Container | SharedAccessAccountResourceTypes.Object;

    private static readonly DateTimeOffset Tomorrow = new(DateTime.UtcNow.Date.AddDays(1), TimeSpan.Zero);

    private static SharedAccessTablePolicy Policy(SharedAccessTablePermissions permissions, int hours = 1) =>
        new() { Permissions = permissions, SharedAccessExpiryTime = DateTimeOffset.UtcNow.AddHours(hours) };

    private static Task Insert(CloudTable table, string partition, string row) =>
        table.ExecuteAsync(TableOperation.Insert(new TableEntity(partition, row)));

    private static Task Upsert(CloudTable table, string partition, string row) =>
        table.ExecuteAsync(TableOperation.InsertOrMerge(new TableEntity(partition, row)));

    private static Task Delete(CloudTable table, string partition, string row) =>
        table.ExecuteAsync(TableOperation.Delete(new TableEntity(partition, row) { ETag = "*" }));

    private static async Task<string[]> Keys(CloudTable table) =>
        [.. (await table.ExecuteQuerySegmentedAsync(new TableQuery(), null)).Results.Select(e => $"{e.PartitionKey}{e.RowKey}")];

    [Case("a key that is not the account's is AuthenticationFailed")]
    public static async Task WrongKey(Account account)
    {
        var name = account.Storage.Credentials.AccountName;
        var wrong = account.Client(new StorageCredentials(name, Convert.ToBase64String(new byte[64])));
        await Expect.Refused(403, "AuthenticationFailed", wrong.GetTableReference("anything").CreateAsync);
        await Expect.Refused(403, "AuthenticationFailed", () => wrong.GetServicePropertiesAsync());
    }

#if !COSMOS_TABLE
    [Case("Shared Key signs as well as Shared Key Lite")]
    public static async Task SharedKeyAndLite(Account account)
    {
        foreach (var scheme in new[] { AuthenticationScheme.SharedKey, AuthenticationScheme.SharedKeyLite })
        {
            var client = account.Client();
            client.AuthenticationScheme = scheme;
            var table = client.GetTableReference(account.NewName());
            await table.CreateAsync();
            await Insert(table, "p", "it's é");
            await table.ExecuteBatchAsync([TableOperation.Insert(new TableEntity("p", "b"))]);
            await table.GetPermissionsAsync();
            Expect.Items(["pb", "pit's é"], await Keys(table));
        }
    }
#endif

    [Case("a table keeps five access policies as they were set, until they are cleared")]
    public static async Task Permissions(Account account)
    {
        var table = await account.NewTable();
        Expect.Equal(0, (await table.GetPermissionsAsync()).SharedAccessPolicies.Count);
        var permissions = new TablePermissions();
        for (var i = 0; i < 4; i++)
        {
            permissions.SharedAccessPolicies.Add($"policy {i} <&>", new SharedAccessTablePolicy
            {
                Permissions = (SharedAccessTablePermissions)(1 << i),
                SharedAccessStartTime = Tomorrow.AddDays(-i),
                SharedAccessExpiryTime = Tomorrow,
            });
        }
        permissions.SharedAccessPolicies.Add("only an id", new SharedAccessTablePolicy());
        await table.SetPermissionsAsync(permissions);

        var read = (await table.GetPermissionsAsync()).SharedAccessPolicies;
        Expect.Items([.. permissions.SharedAccessPolicies.Keys.Order()], read.Keys.Order());
        foreach (var (id, policy) in permissions.SharedAccessPolicies)
        {
            Expect.Equal(policy.Permissions, read[id].Permissions);
            Expect.Equal(policy.SharedAccessStartTime, read[id].SharedAccessStartTime);
            Expect.Equal(policy.SharedAccessExpiryTime, read[id].SharedAccessExpiryTime);
        }
        await table.SetPermissionsAsync(new TablePermissions());
        Expect.Equal(0, (await table.GetPermissionsAsync()).SharedAccessPolicies.Count);
    }

    [Case("a table SAS allows what its permissions say, and no more")]
    public static async Task TableSas(Account account)
    {
        var table = await account.NewTable();
        await Insert(table, "p", "r");
        const string denied = "AuthorizationPermissionMismatch";

        var reader = account.WithSas(table, table.GetSharedAccessSignature(Policy(SharedAccessTablePermissions.Query)));
        Expect.Items(["pr"], await Keys(reader));
        await Expect.Refused(403, denied, () => Insert(reader, "p", "new"));
        await Expect.Refused(403, denied, () => Upsert(reader, "p", "r"));
        await Expect.Refused(403, denied, () => Delete(reader, "p", "r"));

        var adder = account.WithSas(table, table.GetSharedAccessSignature(Policy(SharedAccessTablePermissions.Add)));
        await Insert(adder, "p", "new");
        await Expect.Refused(403, denied, () => Keys(adder));
        await Expect.Refused(403, denied, () => Upsert(adder, "p", "r"));  // needs update as well

        var writer = account.WithSas(table, table.GetSharedAccessSignature(Policy(Writing)));
        await Upsert(writer, "p", "r");
        await Delete(writer, "p", "new");
        await writer.ExecuteBatchAsync(
            [TableOperation.Insert(new TableEntity("p", "b")), TableOperation.InsertOrReplace(new TableEntity("p", "c"))]);
        Expect.Items(["pb", "pc", "pr"], await Keys(table));
    }

    [Case("a table SAS is for its table alone, and never for the account's tables")]
    public static async Task TableSasElsewhere(Account account)
    {
        var table = await account.NewTable();
        var other = await account.NewTable();
        var signature = table.GetSharedAccessSignature(Policy(Everything));
        var limited = account.WithSas(table, signature);
        Func<Task>[] calls =
        [
            () => Keys(account.WithSas(other, signature)),
            limited.DeleteAsync,
            () => limited.GetPermissionsAsync(),
            () => limited.ServiceClient.ListTablesSegmentedAsync(null),
        ];
        foreach (var call in calls)
        {
            var refusal = await Expect.Throws<StorageException>(call);
            Expect.Equal(403, refusal.RequestInformation.HttpStatusCode);
        }
    }

    [Case("a batch by SAS is judged operation by operation")]
    public static async Task BatchBySas(Account account)
    {
        var table = await account.NewTable();
        var adder = account.WithSas(table, table.GetSharedAccessSignature(Policy(SharedAccessTablePermissions.Add)));
        await adder.ExecuteBatchAsync([TableOperation.Insert(new TableEntity("p", "a"))]);
        TableBatchOperation mixed =
            [TableOperation.Insert(new TableEntity("p", "b")), TableOperation.Delete(new TableEntity("p", "a") { ETag = "*" })];
        var refusal = await Expect.Throws<StorageException>(() => adder.ExecuteBatchAsync(mixed));
        Expect.Equal(403, refusal.RequestInformation.HttpStatusCode);
        Expect.Items(["pa"], await Keys(table));
    }

    [Case("a SAS with a stored policy follows the policy")]
    public static async Task StoredPolicy(Account account)
    {
        var table = await account.NewTable();
        await Insert(table, "p", "r");
        var permissions = new TablePermissions();
        permissions.SharedAccessPolicies.Add("visitor", Policy(SharedAccessTablePermissions.Query));
        await table.SetPermissionsAsync(permissions);
        var visitor = account.WithSas(table, table.GetSharedAccessSignature(null, "visitor"));
        Expect.Items(["pr"], await Keys(visitor));
        await Expect.Refused(403, "AuthorizationPermissionMismatch", () => Insert(visitor, "p", "new"));

        permissions.SharedAccessPolicies["visitor"].Permissions |= SharedAccessTablePermissions.Add;
        await table.SetPermissionsAsync(permissions);
        await Insert(visitor, "p", "new");
        permissions.SharedAccessPolicies.Clear();
        await table.SetPermissionsAsync(permissions);
        await Expect.Refused(403, "AuthenticationFailed", () => Keys(visitor));
    }

    [Case("a SAS with ranges of keys sees and changes these alone")]
    public static async Task KeyRanges(Account account)
    {
        var table = await account.NewTable();
        foreach (var partition in new[] { "a", "b", "c", "d" })
            foreach (var row in new[] { "1", "2", "3" })
                await Insert(table, partition, row);
        string Signature(string? startPartition, string? startRow, string? endPartition, string? endRow) =>
            table.GetSharedAccessSignature(Policy(Everything), null, startPartition, startRow, endPartition, endRow);

        var partitions = account.WithSas(table, Signature("b", null, "c", null));
        Expect.Items(["b1", "b2", "b3", "c1", "c2", "c3"], await Keys(partitions));
        var rows = account.WithSas(table, Signature("b", "2", "c", "1"));
        Expect.Items(["b2", "b3", "c1"], await Keys(rows));
        Expect.Equal(404, (await rows.ExecuteAsync(TableOperation.Retrieve("b", "1"))).HttpStatusCode);
        Expect.Equal(200, (await rows.ExecuteAsync(TableOperation.Retrieve("b", "2"))).HttpStatusCode);
        await Expect.Refused(403, "AuthorizationFailure", () => Upsert(rows, "b", "1"));
        await Expect.Refused(403, "AuthorizationFailure", () => Delete(rows, "c", "2"));
        await Insert(rows, "b", "4");
        var open = account.WithSas(table, Signature("d", null, null, null));
        Expect.Items(["d1", "d2", "d3"], await Keys(open));
    }

    [Case("a SAS that is over, not yet valid, or for another address is refused")]
    public static async Task OutsideOfItsBounds(Account account)
    {
        var table = await account.NewTable();
        var query = Policy(SharedAccessTablePermissions.Query);
        var over = account.WithSas(table, table.GetSharedAccessSignature(Policy(SharedAccessTablePermissions.Query, hours: -1)));
        await Expect.Refused(403, "AuthenticationFailed", () => Keys(over));
        var later = Policy(SharedAccessTablePermissions.Query, hours: 2);
        later.SharedAccessStartTime = DateTimeOffset.UtcNow.AddHours(1);
        var early = account.WithSas(table, table.GetSharedAccessSignature(later));
        await Expect.Refused(403, "AuthenticationFailed", () => Keys(early));
        string Signature(SharedAccessProtocol? protocol, IPAddressOrRange? address) =>
            table.GetSharedAccessSignature(query, null, null, null, null, null, protocol, address);
        var elsewhere = account.WithSas(table, Signature(null, new IPAddressOrRange("203.0.113.1", "203.0.113.9")));
        await Expect.Refused(403, "AuthorizationSourceIPMismatch", () => Keys(elsewhere));
        var anywhere = Signature(SharedAccessProtocol.HttpsOrHttp, new IPAddressOrRange("0.0.0.0", "255.255.255.255"));
        Expect.Items([], await Keys(account.WithSas(table, anywhere)));
    }

    [Case("an account SAS allows its services, resources and permissions")]
    public static async Task AccountSas(Account account)
    {
        CloudTableClient With(
            SharedAccessAccountResourceTypes resources,
            SharedAccessAccountPermissions permissions,
            SharedAccessAccountServices services = SharedAccessAccountServices.Table) =>
            account.Client(new StorageCredentials(account.Storage.GetSharedAccessSignature(new SharedAccessAccountPolicy
            {
                Services = services,
                ResourceTypes = resources,
                Permissions = permissions,
                SharedAccessExpiryTime = DateTimeOffset.UtcNow.AddHours(1),
            })));

        var table = account.Table();
        var everything = With(EveryResource, EverythingOfAccounts);
        var allowed = everything.GetTableReference(table.Name);
        await allowed.CreateAsync();
        await Upsert(allowed, "p", "r");
        Expect.Items(["pr"], await Keys(allowed));
        await everything.GetServicePropertiesAsync();

        var reader = With(SharedAccessAccountResourceTypes.Object, SharedAccessAccountPermissions.Read)
            .GetTableReference(table.Name);
        Expect.Items(["pr"], await Keys(reader));
        await Expect.Refused(403, "AuthorizationPermissionMismatch", () => Insert(reader, "p", "new"));
        await Expect.Refused(403, "AuthorizationResourceTypeMismatch", reader.DeleteAsync);
        var blobs = With(EveryResource, EverythingOfAccounts, SharedAccessAccountServices.Blob).GetTableReference(table.Name);
        await Expect.Refused(403, "AuthorizationServiceMismatch", () => Keys(blobs));
        await allowed.DeleteAsync();
    }
}
