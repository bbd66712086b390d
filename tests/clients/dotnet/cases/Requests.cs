namespace Rocktable.Clients;

internal static class Requests
{
    private static readonly LinearRetry ThreeRetries = new(TimeSpan.FromMilliseconds(1), 3);

    [Case("a busy server is asked again until it answers")]
    public static async Task Retries(Account account)
    {
        var direct = await account.NewTable();
        await direct.ExecuteAsync(TableOperation.Insert(Customer.Numbered("p", 1)));
        using var proxy = new Proxy(account.Endpoint, number => number < 2 ? Proxy.Busy : null);
        var table = account.Client(endpoint: proxy.Endpoint).GetTableReference(direct.Name);
        var options = new TableRequestOptions { RetryPolicy = ThreeRetries };
        var context = new OperationContext();
        var result = await table.ExecuteAsync(TableOperation.Retrieve<Customer>("p", "0001"), options, context);
        Expect.Equal(200, result.HttpStatusCode);
        Expect.Items([503, 503, 200], context.RequestResults.Select(r => r.HttpStatusCode));
    }

    [Case("a refusal is not asked again")]
    public static async Task NoRetries(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "r")));
        var options = new TableRequestOptions { RetryPolicy = ThreeRetries };
        var context = new OperationContext();
        var again = TableOperation.Insert(new TableEntity("p", "r"));
        await Expect.Refused(409, "EntityAlreadyExists", () => table.ExecuteAsync(again, options, context));
        Expect.Equal(1, context.RequestResults.Count);
    }

    [Case("a read goes to the secondary location where the primary is busy")]
    public static async Task FailOver(Account account)
    {
        var direct = await account.NewTable();
        await direct.ExecuteAsync(TableOperation.Insert(Customer.Numbered("p", 1)));
        using var primary = new Proxy(account.Endpoint, _ => Proxy.Busy);
        using var secondary = new Proxy(account.Locations.SecondaryUri, _ => null);
        var table = account.ClientOf(new StorageUri(primary.Endpoint, secondary.Endpoint)).GetTableReference(direct.Name);
        var options = new TableRequestOptions { LocationMode = LocationMode.PrimaryThenSecondary, RetryPolicy = ThreeRetries };
        var context = new OperationContext();
        var result = await table.ExecuteAsync(TableOperation.Retrieve<Customer>("p", "0001"), options, context);
        Expect.Equal(200, result.HttpStatusCode);
        Expect.Items([StorageLocation.Primary, StorageLocation.Secondary], context.RequestResults.Select(r => r.TargetLocation));
    }

    [Case("a call that is cancelled ends at once")]
    public static async Task Cancelled(Account account)
    {
        using var proxy = new Proxy(account.Endpoint, _ => Proxy.Silence);
        var table = account.Client(endpoint: proxy.Endpoint).GetTableReference("anything");
        using var cancel = new CancellationTokenSource();
        var call = table.ExecuteAsync(TableOperation.Retrieve("p", "r"), null, null, cancel.Token);
        while (proxy.Requests.Length == 0) await Task.Delay(1);
        cancel.Cancel();
        var ended = await Expect.Throws<StorageException>(() => call.WaitAsync(TimeSpan.FromSeconds(5)));
        Expect.True(ended.InnerException is OperationCanceledException, $"{ended.InnerException}");
    }

    [Case("a call ends after the longest time that it may take")]
    public static async Task MaximumExecutionTime(Account account)
    {
        using var proxy = new Proxy(account.Endpoint, _ => Proxy.Silence);
        var table = account.Client(endpoint: proxy.Endpoint).GetTableReference("anything");
        var options = new TableRequestOptions { MaximumExecutionTime = TimeSpan.FromMilliseconds(200) };
        var ended = await Expect.Throws<StorageException>(
            () => table.ExecuteAsync(TableOperation.Retrieve("p", "r"), options, null).WaitAsync(TimeSpan.FromSeconds(5)));
        Expect.True(ended.InnerException is TimeoutException or OperationCanceledException, $"{ended.InnerException}");
    }

    [Case("a server timeout that goes with requests does no harm")]
    public static async Task ServerTimeout(Account account)
    {
        var direct = await account.NewTable();
        using var proxy = new Proxy(account.Endpoint, _ => null);
        var table = account.Client(endpoint: proxy.Endpoint).GetTableReference(direct.Name);
        var options = new TableRequestOptions { ServerTimeout = TimeSpan.FromSeconds(10) };
        await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "r")), options, null);
#if !COSMOS_TABLE  // that library has the option, and does not send it with every operation
        Expect.True(proxy.Requests[0].Split('\r')[0].Contains("timeout=10", StringComparison.Ordinal), proxy.Requests[0]);
#endif
        Expect.Equal(200, (await table.ExecuteAsync(TableOperation.Retrieve("p", "r"), options, null)).HttpStatusCode);
        Expect.Equal(1, (await table.ExecuteQuerySegmentedAsync(new TableQuery(), null, options, null)).Results.Count);
        await table.GetPermissionsAsync(options, null);
    }

    [Case("a request tells who asked, and an answer which it is")]
    public static async Task Identifiers(Account account)
    {
        var table = await account.NewTable();
        var headers = new Dictionary<string, string> { ["x-my-header"] = "mine" };
        var context = new OperationContext { ClientRequestID = "it is me", UserHeaders = headers };
        await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "r")), null, context);
        Expect.True(Guid.TryParse(context.LastResult.ServiceRequestID, out _), context.LastResult.ServiceRequestID);
        Expect.Equal(204, context.LastResult.HttpStatusCode);
        var date = DateTimeOffset.Parse(context.LastResult.RequestDate);
        Expect.True((DateTimeOffset.UtcNow - date).Duration() < TimeSpan.FromMinutes(15));
    }

    [Case("an error brings code, message and status")]
    public static async Task Errors(Account account)
    {
        var table = await account.NewTable();
        await table.ExecuteAsync(TableOperation.Insert(new TableEntity("p", "r")));
        var context = new OperationContext();
        var again = TableOperation.Insert(new TableEntity("p", "r"));
        var refusal = await Expect.Refused(409, "EntityAlreadyExists", () => table.ExecuteAsync(again, null, context));
        var told = refusal.RequestInformation.ExtendedErrorInformation.ErrorMessage;
        Expect.True(told.StartsWith("The specified entity already exists.", StringComparison.Ordinal), told);
        Expect.True(told.Contains("RequestId:" + context.LastResult.ServiceRequestID, StringComparison.OrdinalIgnoreCase), told);
        Expect.Equal("Conflict", refusal.RequestInformation.HttpStatusMessage);
    }

    [Case("the account of development storage signs for any port")]
    public static async Task DevelopmentAccount(Account account)
    {
        var development = CloudStorageAccount.DevelopmentStorageAccount;
        Expect.Equal("/devstoreaccount1", development.TableEndpoint.AbsolutePath);
        var here = new UriBuilder(account.Endpoint) { Path = development.TableEndpoint.AbsolutePath };
        var table = account.Client(development.Credentials, here.Uri).GetTableReference(account.NewName());
        Expect.True(await table.CreateIfNotExistsAsync());
        Expect.True(await table.DeleteIfExistsAsync());
    }

    [Case("many calls at once over one client")]
    public static async Task Concurrent(Account account)
    {
        var table = await account.NewTable();
        var customers = from partition in Enumerable.Range(0, 8)
                        from number in Enumerable.Range(0, 25)
                        select Customer.Numbered($"p{partition}", number);
        await Task.WhenAll(customers.Select(customer => table.ExecuteAsync(TableOperation.Insert(customer))));
        var found = await table.ExecuteQuerySegmentedAsync(new TableQuery(), null);
        Expect.Equal(8 * 25, found.Results.Count);
    }
}
