namespace Rocktable.Clients;

internal static class Service
{
    [Case("logging, metrics and CORS rules are kept as they were set")]
    public static async Task Properties(Account account)
    {
        var client = account.Client();
        var before = await client.GetServicePropertiesAsync();
        try
        {
            var wanted = new ServiceProperties(
                new LoggingProperties("1.0") { LoggingOperations = LoggingOperations.Read | LoggingOperations.Delete, RetentionDays = 5 },
                new MetricsProperties("1.0") { MetricsLevel = MetricsLevel.ServiceAndApi, RetentionDays = 7 },
                new MetricsProperties("1.0") { MetricsLevel = MetricsLevel.None },
                new CorsProperties());
            wanted.Cors.CorsRules.Add(new CorsRule
            {
                AllowedOrigins = ["https://www.ab.example", "https://www.bc.example"],
                AllowedMethods = CorsHttpMethods.Get | CorsHttpMethods.Put | CorsHttpMethods.Merge,
                AllowedHeaders = ["x-ms-meta-abc", "x-ms-meta-data*"],
                ExposedHeaders = ["x-ms-meta-*"],
                MaxAgeInSeconds = 500,
            });
            await client.SetServicePropertiesAsync(wanted);
            var read = await client.GetServicePropertiesAsync();
            Expect.Equal(LoggingOperations.Read | LoggingOperations.Delete, read.Logging.LoggingOperations);
            Expect.Equal(5, read.Logging.RetentionDays);
            Expect.Equal(MetricsLevel.ServiceAndApi, read.HourMetrics.MetricsLevel);
            Expect.Equal(7, read.HourMetrics.RetentionDays);
            Expect.Equal(MetricsLevel.None, read.MinuteMetrics.MetricsLevel);
            var rule = read.Cors.CorsRules.Single();
            Expect.Items(["https://www.ab.example", "https://www.bc.example"], rule.AllowedOrigins);
            Expect.Equal(CorsHttpMethods.Get | CorsHttpMethods.Put | CorsHttpMethods.Merge, rule.AllowedMethods);
            Expect.Items(["x-ms-meta-abc", "x-ms-meta-data*"], rule.AllowedHeaders);
            Expect.Items(["x-ms-meta-*"], rule.ExposedHeaders);
            Expect.Equal(500, rule.MaxAgeInSeconds);
        }
        finally
        {
            await client.SetServicePropertiesAsync(before);
        }
    }

    [Case("settings that are not named stay as they are")]
    public static async Task PartsOfProperties(Account account)
    {
        var client = account.Client();
        var before = await client.GetServicePropertiesAsync();
        try
        {
            var hours = new MetricsProperties("1.0") { MetricsLevel = MetricsLevel.Service, RetentionDays = 3 };
            await client.SetServicePropertiesAsync(new ServiceProperties(null, hours, null, null));
            var minutes = new MetricsProperties("1.0") { MetricsLevel = MetricsLevel.Service };
            await client.SetServicePropertiesAsync(new ServiceProperties(null, null, minutes, null));
            var read = await client.GetServicePropertiesAsync();
            Expect.Equal(MetricsLevel.Service, read.HourMetrics.MetricsLevel);
            Expect.Equal(3, read.HourMetrics.RetentionDays);
            Expect.Equal(MetricsLevel.Service, read.MinuteMetrics.MetricsLevel);
        }
        finally
        {
            await client.SetServicePropertiesAsync(before);
        }
    }

    [Case("a sixth CORS rule and 366 days are refused")]
    public static async Task BadProperties(Account account)
    {
        var client = account.Client();
        var six = new CorsProperties();
        for (var i = 0; i < 6; i++)
        {
            var rule = new CorsRule { AllowedOrigins = [$"https://{i}.example"], AllowedMethods = CorsHttpMethods.Get, MaxAgeInSeconds = 1 };
            six.CorsRules.Add(rule);
        }
        Task Set(MetricsProperties? hours, CorsProperties? rules) =>
            client.SetServicePropertiesAsync(new ServiceProperties(null, hours, null, rules));
        await Expect.Refused(400, "InvalidXmlDocument", () => Set(null, six));
        var tooLong = new MetricsProperties("1.0") { MetricsLevel = MetricsLevel.Service, RetentionDays = 366 };
        await Expect.Refused(400, "InvalidXmlDocument", () => Set(tooLong, null));
    }

    [Case("a CORS rule lets pages of its origin ask")]
    public static async Task Cors(Account account)
    {
        var client = account.Client();
        var before = await client.GetServicePropertiesAsync();
        try
        {
            var rules = new CorsProperties();
            rules.CorsRules.Add(new CorsRule
            {
                AllowedOrigins = ["https://page.example"],
                AllowedMethods = CorsHttpMethods.Get,
                AllowedHeaders = ["x-ms-*"],
                ExposedHeaders = ["*"],
                MaxAgeInSeconds = 60,
            });
            await client.SetServicePropertiesAsync(new ServiceProperties(null, null, null, rules));
            Expect.Equal((200, "https://page.example", "60"), await Preflight(account, "https://page.example", "GET"));
            Expect.Equal((403, null, null), await Preflight(account, "https://page.example", "DELETE"));
            Expect.Equal((403, null, null), await Preflight(account, "https://other.example", "GET"));
        }
        finally
        {
            await client.SetServicePropertiesAsync(before);
        }
    }

    // Status, allowed origin, and for how long.
    private static async Task<(int, string?, string?)> Preflight(Account account, string origin, string method)
    {
        using var http = new HttpClient();
        using var request = new HttpRequestMessage(HttpMethod.Options, account.Endpoint + "/anything");
        request.Headers.Add("Origin", origin);
        request.Headers.Add("Access-Control-Request-Method", method);
        request.Headers.Add("Access-Control-Request-Headers", "x-ms-date");
        using var answer = await http.SendAsync(request);
        string? Header(string name) => answer.Headers.TryGetValues(name, out var values) ? string.Join(",", values) : null;
        return ((int)answer.StatusCode, Header("Access-Control-Allow-Origin"), Header("Access-Control-Max-Age"));
    }

    [Case("the secondary location tells how far behind it is")]
    public static async Task Stats(Account account)
    {
        var client = account.ClientOf(account.Locations);
        var options = new TableRequestOptions { LocationMode = LocationMode.SecondaryOnly };
        var stats = await client.GetServiceStatsAsync(options, null);
        Expect.Equal(GeoReplicationStatus.Live, stats.GeoReplication.Status);
        Expect.True(stats.GeoReplication.LastSyncTime is { } time && time <= DateTimeOffset.UtcNow.AddMinutes(15));
    }

    [Case("the secondary location answers reads")]
    public static async Task Secondary(Account account)
    {
        var primary = await account.NewTable();
        await primary.ExecuteAsync(TableOperation.Insert(Customer.Numbered("p", 1)));
        var table = account.ClientOf(account.Locations).GetTableReference(primary.Name);
        var options = new TableRequestOptions { LocationMode = LocationMode.SecondaryOnly };
        var result = await table.ExecuteAsync(TableOperation.Retrieve<Customer>("p", "0001"), options, null);
        Expect.Equal(200, result.HttpStatusCode);
        var found = await table.ExecuteQuerySegmentedAsync(new TableQuery<Customer>(), null, options, null);
        Expect.Items(["0001"], found.Results.Select(c => c.RowKey));
        Expect.True(await table.ExistsAsync(options, null));
#if !COSMOS_TABLE  // that library sends batches to the primary alone
        TableBatchOperation batch = [];
        batch.Retrieve("p", "0001");
        Expect.Items([200], (await table.ExecuteBatchAsync(batch, options, null)).Select(r => r.HttpStatusCode));
#endif
    }
}
