// A host of WebJobs: a message in a queue triggers a function, which writes a blob and an entity.
using Azure.Data.Tables;
using Azure.Storage.Blobs;
using Azure.Storage.Queues;
using Microsoft.Azure.WebJobs;
using Microsoft.Extensions.Hosting;

namespace Rocktable.Beside;

public sealed class Functions
{
    public static readonly TaskCompletionSource<string> Done = new();

    public async Task OnOrder([QueueTrigger("orders")] string id, [Blob("receipts/{queueTrigger}")] BlobClient receipt)
    {
        await receipt.UploadAsync(BinaryData.FromString($"receipt {id}"));
        var connectionString = Environment.GetEnvironmentVariable("AzureWebJobsStorage")!;
        var orders = new TableClient(connectionString, "orders");
        await orders.CreateIfNotExistsAsync();
        await orders.AddEntityAsync(new TableEntity("p", id));
        Done.TrySetResult((await receipt.DownloadContentAsync()).Value.Content.ToString());
    }
}

public static class WebJobs
{
    public static async Task<int> RunAsync()
    {
        var connectionString = Environment.GetEnvironmentVariable("AzureWebJobsStorage")!;
        await new BlobContainerClient(connectionString, "receipts").CreateIfNotExistsAsync();
        var queue = new QueueClient(connectionString, "orders", new() { MessageEncoding = QueueMessageEncoding.Base64 });
        await queue.CreateIfNotExistsAsync();
        await queue.SendMessageAsync("o1");
        using var host = new HostBuilder()
            .ConfigureWebJobs(jobs => jobs.AddAzureStorageQueues().AddAzureStorageBlobs())
            .Build();
        await host.StartAsync();
        Console.WriteLine(await Functions.Done.Task.WaitAsync(TimeSpan.FromSeconds(45)));
        await host.StopAsync();
        return 0;
    }
}
