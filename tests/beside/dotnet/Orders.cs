// A program for the cloud: inserts an order for each line of standard input. Its argument is the class of its credential.
using Azure;
using Azure.Core;
using Azure.Data.Tables;
using Azure.Identity;

namespace Rocktable.Beside;

public static class Orders
{
    public static async Task<int> RunAsync(string name)
    {
        TokenCredential credential = name == nameof(DefaultAzureCredential)
            ? new DefaultAzureCredential()
            : new ManagedIdentityCredential(ManagedIdentityId.SystemAssigned);
        var endpoint = new Uri(Environment.GetEnvironmentVariable("TABLES_ENDPOINT")!);
        var orders = new TableClient(endpoint, "orders", credential);
        await orders.CreateAsync();
        while (await Console.In.ReadLineAsync() is { } id)
        {
            try
            {
                await orders.AddEntityAsync(new TableEntity("p", id));
                Console.WriteLine("inserted");
            }
            catch (RequestFailedException error)
            {
                Console.WriteLine($"{error.Status} {error.ErrorCode}");
            }
        }
        return 0;
    }
}
