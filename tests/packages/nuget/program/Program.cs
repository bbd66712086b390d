// One program for all tests: the first argument names what it does.
using System.Diagnostics;
using Microsoft.Azure.Cosmos.Table;
using Rocktable.Testing;

static CloudTableClient Client(string connectionString) =>
    CloudStorageAccount.Parse(connectionString).CreateCloudTableClient();

static string Tables(string connectionString) =>
    string.Join(" ", Client(connectionString).ListTables().Select(table => table.Name));

static async Task Said(Func<Task> action)
{
    try
    {
        await action();
        Console.WriteLine("done");
    }
    catch (RocktableException error)
    {
        Console.WriteLine($"{(int?)error.Status}: {error.Message}");
    }
}

switch (args[0])
{
    case "accounts":  // SEED
    {
        await using var server = await RocktableServer.StartAsync(new() { Seed = args[1] });
        var (one, two) = (await server.CreateAccountAsync(), await server.CreateAccountAsync());
        Client(one.ConnectionString).GetTableReference("customers").Delete();
        string[] accounts = [one.ConnectionString, two.ConnectionString, server.ConnectionString];
        Console.WriteLine(string.Join("|", accounts.Select(Tables)));
        Console.WriteLine(one.Name != two.Name && two.Endpoint == new Uri(server.Url, two.Name));
        Console.WriteLine(server.Endpoint == new Uri(server.Url, "devstoreaccount1") && server.Url.Port == server.Port);
        await using var empty = await RocktableServer.StartAsync();
        Console.WriteLine(Tables((await empty.CreateAccountAsync()).ConnectionString));
        break;
    }
    case "data":  // SEED
    {
        await using var server = await RocktableServer.StartAsync(new() { Seed = args[1] });
        await server.SnapshotAsync("seeded");
        await server.ResetAsync();
        Console.WriteLine(Tables(server.ConnectionString));
        await server.RestoreAsync("seeded");
        Console.WriteLine(Tables(server.ConnectionString));
        Console.WriteLine((await server.StatsAsync()).GetProperty("counters").GetArrayLength() > 0);
        await Said(() => server.RestoreAsync("missing"));
        break;
    }
    case "template":  // SEED
    {
        await using var unclear = await RocktableServer.StartAsync(new() { Seed = args[1] });
        await Said(() => unclear.CreateAccountAsync());
        await using var clear = await RocktableServer.StartAsync(new() { Seed = args[1], Template = "other" });
        Console.WriteLine(Tables((await clear.CreateAccountAsync()).ConnectionString));
        break;
    }
    case "refusals":  // SEED
        await Said(() => RocktableServer.StartAsync(new() { Seed = args[1] }));
        await Said(() => RocktableServer.StartAsync(new() { Options = { ["noSuchOption"] = true } }));
        await Said(() => RocktableServer.StartAsync(new() { Options = { ["tablePort"] = "a \"b\" \\" } }));
        Environment.SetEnvironmentVariable("ROCKTABLE_BINARY", "/missing");
        await Said(() => RocktableServer.StartAsync());
        try
        {
            await RocktableServer.StartAsync(new() { Options = { ["readyFile"] = "x" } });
        }
        catch (ArgumentException error)
        {
            Console.WriteLine(error.Message);
        }
        break;
    case "options":  // FOLDER: options become flags, and variables do not
    {
        Environment.SetEnvironmentVariable("ROCKTABLE_SEED", "/missing");
        await using var server = await RocktableServer.StartAsync(new()
        {
            Location = args[1],
            Options =
            {
                ["tls"] = "auto", ["tlsName"] = new[] { "a", "b" }, ["controlToken"] = "secret", ["explainAuth"] = true,
                ["sync"] = false,
            },
        });
        Console.WriteLine($"{server.Url.Scheme} {File.Exists(server.CertificateAuthority)}");
        await server.ResetAsync();
        break;
    }
    case "parallel":  // SEED
    {
        await using var server = await RocktableServer.StartAsync(new() { Seed = args[1] });
        var counts = await Task.WhenAll(Enumerable.Range(0, 100).Select(async number =>
        {
            var account = await server.CreateAccountAsync();
            var customers = Client(account.ConnectionString).GetTableReference("customers");
            var guest = new DynamicTableEntity("de", "2");
            guest.Properties["Name"] = new EntityProperty($"Guest {number}");
            await customers.ExecuteAsync(TableOperation.Insert(guest));
            var found = await customers.ExecuteQuerySegmentedAsync(new TableQuery<DynamicTableEntity>(), null);
            var names = found.Results.Select(entity => entity.Properties["Name"].StringValue);
            return names.SequenceEqual(["Anna", $"Guest {number}"]) ? 1 : 0;
        }));
        Console.WriteLine(counts.Sum());
        break;
    }
    case "wait":  // until killed
    {
        var server = await RocktableServer.StartAsync();
        using var other = Process.Start("sleep", "60");
        Console.WriteLine($"{other.Id}");
        await Task.Delay(TimeSpan.FromMinutes(1));
        break;
    }
    case "wait alone":  // until killed
        Console.WriteLine((await RocktableServer.StartAsync()).Port);
        await Task.Delay(TimeSpan.FromMinutes(1));
        break;
    case "forget":  // to stop the server
        Console.WriteLine((await RocktableServer.StartAsync()).Port);
        break;
    case "cancel":
    {
        using var source = new CancellationTokenSource(TimeSpan.FromMilliseconds(200));
        try
        {
            await RocktableServer.StartAsync(cancellationToken: source.Token);
        }
        catch (OperationCanceledException)
        {
            Console.WriteLine("cancelled");
        }
        break;
    }
    case "connect":  // by the variable that `rocktable exec` sets
    {
        var customers = Client(Environment.GetEnvironmentVariable("AZURE_TABLES_CONNECTION_STRING")!)
            .GetTableReference("customers");
        customers.Execute(TableOperation.Insert(new DynamicTableEntity("de", "2")));
        Console.WriteLine(customers.ExecuteQuery(new TableQuery<DynamicTableEntity>()).Count());
        break;
    }
    default:
        throw new ArgumentException($"there is no case {args[0]}");
}
