// A silo of Orleans: membership and the state of its grains are in tables. A grain is called by two silos, one after the
// other; the second one finds its state.
using System.Net;
using System.Net.Sockets;
using Azure.Data.Tables;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;

namespace Rocktable.Beside;

public interface ICounter : IGrainWithStringKey
{
    Task<int> Add();
}

[GenerateSerializer]
public sealed class CounterState
{
    [Id(0)] public int Value { get; set; }
}

public sealed class Counter([PersistentState("count", "store")] IPersistentState<CounterState> state) : Grain, ICounter
{
    public async Task<int> Add()
    {
        state.State.Value += 1;
        await state.WriteStateAsync();
        return state.State.Value;
    }
}

public static class Silo
{
    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private static async Task<int> CallAsync()
    {
        var tables = new TableServiceClient(Environment.GetEnvironmentVariable("AZURE_TABLES_CONNECTION_STRING")!);
        var builder = Host.CreateApplicationBuilder();
        builder.Logging.ClearProviders();
        builder.UseOrleans(silo => silo
            .Configure<ClusterOptions>(cluster => cluster.ClusterId = cluster.ServiceId = "beside")
            .ConfigureEndpoints(IPAddress.Loopback, FreePort(), FreePort())
            .UseAzureStorageClustering(options => options.TableServiceClient = tables)
            .AddAzureTableGrainStorage("store", options => options.TableServiceClient = tables));
        using var host = builder.Build();
        await host.StartAsync();
        var count = await host.Services.GetRequiredService<IGrainFactory>().GetGrain<ICounter>("one").Add();
        await host.StopAsync();
        return count;
    }

    public static async Task<int> RunAsync()
    {
        Console.WriteLine($"{await CallAsync()} {await CallAsync()}");
        return 0;
    }
}
