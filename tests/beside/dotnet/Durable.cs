// An orchestration of the Durable Task Framework: its backend keeps instances and history in tables, and messages in queues
// and blobs. Prints what it returned.
using DurableTask.AzureStorage;
using DurableTask.Core;

namespace Rocktable.Beside;

public sealed class Greet : TaskActivity<string, string>
{
    protected override string Execute(TaskContext context, string name) => $"Hello {name}";
}

public sealed class Greetings : TaskOrchestration<string, string>
{
    public override async Task<string> RunTask(OrchestrationContext context, string names)
    {
        var said = new List<string>();
        foreach (var name in names.Split(' ')) said.Add(await context.ScheduleTask<string>(typeof(Greet), name));
        return string.Join(", ", said);
    }
}

public static class Durable
{
    public static async Task<int> RunAsync()
    {
        var connectionString = Environment.GetEnvironmentVariable("AzureWebJobsStorage")!;
        var service = new AzureStorageOrchestrationService(new AzureStorageOrchestrationServiceSettings
        {
            StorageAccountClientProvider = new StorageAccountClientProvider(connectionString),
            TaskHubName = "beside",
            PartitionCount = 1,
        });
        await service.CreateIfNotExistsAsync();
        var worker = new TaskHubWorker(service);
        worker.AddTaskOrchestrations(typeof(Greetings));
        worker.AddTaskActivities(typeof(Greet));
        await worker.StartAsync();
        var client = new TaskHubClient(service);
        var instance = await client.CreateOrchestrationInstanceAsync(typeof(Greetings), "Ada Grace");
        var state = await client.WaitForOrchestrationAsync(instance, TimeSpan.FromSeconds(45));
        Console.WriteLine($"{state?.OrchestrationStatus}: {state?.Output}");
        await worker.StopAsync(isForced: true);
        return 0;
    }
}
