namespace Rocktable.Clients;

internal static class Service
{
    [Case("logging, metrics and CORS rules are kept as they were set")]
    public static async Task Properties(Account account)
    {
        var service = account.Service();
        var before = (await service.GetPropertiesAsync()).Value;
        try
        {
            var wanted = new TableServiceProperties
            {
                Logging = new TableAnalyticsLoggingSettings("1.0", true, true, false, new TableRetentionPolicy(true) { Days = 5 }),
                HourMetrics = new TableMetrics(true) { Version = "1.0", IncludeApis = true, RetentionPolicy = new TableRetentionPolicy(true) { Days = 7 } },
                MinuteMetrics = new TableMetrics(false) { Version = "1.0", RetentionPolicy = new TableRetentionPolicy(false) },
            };
            wanted.Cors.Add(new TableCorsRule("https://www.ab.example,https://www.bc.example", "GET,PUT,MERGE", "x-ms-meta-abc", "x-ms-meta-*", 500));
            Expect.Equal(202, (await service.SetPropertiesAsync(wanted)).Status);
            var read = (await service.GetPropertiesAsync()).Value;
            Expect.True(read.Logging is { Delete: true, Read: true, Write: false });
            Expect.Equal(5, read.Logging.RetentionPolicy.Days);
            Expect.True(read.HourMetrics is { Enabled: true, IncludeApis: true });
            Expect.Equal(7, read.HourMetrics.RetentionPolicy.Days);
            Expect.False(read.MinuteMetrics.Enabled);
            var rule = read.Cors.Single();
            Expect.Equal("https://www.ab.example,https://www.bc.example", rule.AllowedOrigins);
            Expect.Equal("GET,PUT,MERGE", rule.AllowedMethods);
            Expect.Equal("x-ms-meta-abc", rule.AllowedHeaders);
            Expect.Equal("x-ms-meta-*", rule.ExposedHeaders);
            Expect.Equal(500, rule.MaxAgeInSeconds);
        }
        finally
        {
            await service.SetPropertiesAsync(before);
        }
    }

    [Case("statistics come from the secondary location, which the library finds by itself")]
    public static async Task Statistics(Account account)
    {
        var told = (await account.Service().GetStatisticsAsync()).Value;
        Expect.Equal(TableGeoReplicationStatus.Live, told.GeoReplication.Status);
        Expect.True(told.GeoReplication.LastSyncedOn <= DateTimeOffset.UtcNow.AddMinutes(1));
    }

    [Case("a request has the id that its client gives it")]
    public static async Task ClientRequestId(Account account)
    {
        var table = await account.NewTable();
        using (Azure.Core.Pipeline.HttpPipeline.CreateClientRequestIdScope("my-own-id"))
            Expect.Equal("my-own-id", (await table.AddEntityAsync(new TableEntity("p", "r"))).Headers.TryGetValue("x-ms-client-request-id", out var id) ? id : null);
    }

    [Case("a busy server is asked again")]
    public static async Task Retries(Account account)
    {
        var table = await account.NewTable();
        using var proxy = new Proxy(account.Endpoint, number => number < 2 ? Proxy.Busy : null);
        var options = new TableClientOptions();
        options.Retry.Delay = TimeSpan.FromMilliseconds(10);
        options.Retry.MaxDelay = TimeSpan.FromMilliseconds(20);
        var patient = new TableClient(proxy.Endpoint, table.Name, account.Credential, options);
        Expect.Equal(204, (await patient.AddEntityAsync(new TableEntity("p", "r"))).Status);
        Expect.Equal(3, proxy.Requests.Length);
        using var busy = new Proxy(account.Endpoint, _ => Proxy.Busy);
        var hasty = new TableClient(busy.Endpoint, table.Name, account.Credential, Account.Options());
        await Expect.Refused(503, "ServerBusy", () => hasty.AddEntityAsync(new TableEntity("p", "s")));
    }
}
