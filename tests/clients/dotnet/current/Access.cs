namespace Rocktable.Clients;

internal static class Access
{
    private static readonly DateTimeOffset Tomorrow = new(DateTime.UtcNow.Date.AddDays(1), TimeSpan.Zero);

    private static DateTimeOffset Soon => DateTimeOffset.UtcNow.AddHours(1);

    private static TableClient Shared(Uri signed) => new(signed, Account.Options());

    private static Task Insert(TableClient table, string partition, string row) => table.AddEntityAsync(new TableEntity(partition, row));

    private static async Task<string[]> Keys(TableClient table)
    {
        List<string> keys = [];
        await foreach (var entity in table.QueryAsync<TableEntity>()) keys.Add(entity.PartitionKey + entity.RowKey);
        return [.. keys];
    }

    [Case("a key that is not the account's is AuthenticationFailed")]
    public static async Task WrongKey(Account account)
    {
        var wrong = new TableServiceClient(
            account.Endpoint, new TableSharedKeyCredential(account.Name, Convert.ToBase64String(new byte[64])), Account.Options());
        await Expect.Refused(403, "AuthenticationFailed", () => wrong.CreateTableAsync("anything"));
        await Expect.Refused(403, "AuthenticationFailed", () => wrong.GetPropertiesAsync());
    }

    [Case("a table's signature grants what it says, and no more")]
    public static async Task TableSas(Account account)
    {
        var table = await account.NewTable();
        var signer = new TableClient(account.Endpoint, table.Name, account.Credential, Account.Options());
        await Insert(table, "p", "r");
        var reader = Shared(signer.GenerateSasUri(TableSasPermissions.Read, Soon));
        Expect.Items(["pr"], await Keys(reader));
        await Expect.Refused(403, "AuthorizationPermissionMismatch", () => Insert(reader, "p", "s"));
        var writer = Shared(signer.GenerateSasUri(TableSasPermissions.Add | TableSasPermissions.Update | TableSasPermissions.Delete, Soon));
        await Insert(writer, "p", "s");
        await writer.UpsertEntityAsync(new TableEntity("p", "s") { ["A"] = 1 });
        await writer.SubmitTransactionAsync([new TableTransactionAction(TableTransactionActionType.Add, new TableEntity("p", "t"))]);
        await writer.DeleteEntityAsync("p", "s");
        await Expect.Refused(403, "AuthorizationPermissionMismatch", () => Keys(writer));
        var late = Shared(signer.GenerateSasUri(TableSasPermissions.Read, DateTimeOffset.UtcNow.AddMinutes(-30)));
        await Expect.Refused(403, "AuthenticationFailed", () => Keys(late));
    }

    [Case("a table's signature can be of a range of keys")]
    public static async Task TableSasOfRange(Account account)
    {
        var table = await account.NewTable();
        var signer = new TableClient(account.Endpoint, table.Name, account.Credential, Account.Options());
        foreach (var (partition, row) in new[] { ("a", "1"), ("b", "1"), ("b", "2"), ("c", "1") }) await Insert(table, partition, row);
        var sas = signer.GetSasBuilder(TableSasPermissions.All, Soon);
        (sas.PartitionKeyStart, sas.RowKeyStart, sas.PartitionKeyEnd, sas.RowKeyEnd) = ("b", "1", "b", "2");
        var some = Shared(signer.GenerateSasUri(sas));
        Expect.Items(["b1", "b2"], await Keys(some));
        await Expect.Refused(403, "AuthorizationFailure", () => Insert(some, "c", "2"));
    }

    [Case("an account's signature grants services, resources and permissions")]
    public static async Task AccountSas(Account account)
    {
        var signer = new TableServiceClient(account.Endpoint, account.Credential, Account.Options());
        TableServiceClient With(TableAccountSasPermissions permissions, TableAccountSasResourceTypes resources) =>
            new(signer.GenerateSasUri(permissions, resources, Soon), Account.Options());
        var everything = With(TableAccountSasPermissions.All, TableAccountSasResourceTypes.All);
        var name = account.NewName();
        await everything.CreateTableAsync(name);
        await Insert(everything.GetTableClient(name), "p", "r");
        Expect.Items(["pr"], await Keys(everything.GetTableClient(name)));
        await everything.GetPropertiesAsync();
        var containers = With(TableAccountSasPermissions.All, TableAccountSasResourceTypes.Container);
        await Expect.Refused(403, "AuthorizationResourceTypeMismatch", () => Insert(containers.GetTableClient(name), "p", "s"));
        var reading = With(TableAccountSasPermissions.Read, TableAccountSasResourceTypes.All);
        Expect.Items(["pr"], await Keys(reading.GetTableClient(name)));
        await Expect.Refused(403, "AuthorizationPermissionMismatch", () => reading.CreateTableAsync(account.NewName()));
        await everything.DeleteTableAsync(name);
    }

    [Case("a signature as a credential is the same as in the address")]
    public static async Task SasCredential(Account account)
    {
        var table = await account.NewTable();
        var signer = new TableClient(account.Endpoint, table.Name, account.Credential, Account.Options());
        var signature = signer.GetSasBuilder(TableSasPermissions.All, Soon).Sign(account.Credential);
        var shared = new TableClient(new Uri(account.Endpoint, $"{account.Endpoint.AbsolutePath.TrimEnd('/')}/{table.Name}"), new AzureSasCredential(signature), Account.Options());
        await Insert(shared, "p", "r");
        Expect.Items(["pr"], await Keys(shared));
    }

    [Case("a table keeps five access policies, and a signature that names one has its rights")]
    public static async Task Policies(Account account)
    {
        var table = await account.NewTable();
        Expect.Equal(0, (await table.GetAccessPoliciesAsync()).Value.Count);
        TableSignedIdentifier Policy(string id, string permission) => new(id, new TableAccessPolicy(Tomorrow.AddDays(-2), Tomorrow, permission));
        TableSignedIdentifier[] wanted = [Policy("read <&>", "r"), Policy("add", "a"), Policy("update", "u"), Policy("delete", "d"), Policy("all", "raud")];
        Expect.Equal(204, (await table.SetAccessPolicyAsync(wanted)).Status);
        var read = (await table.GetAccessPoliciesAsync()).Value;
        Expect.Items(["read <&>", "add", "update", "delete", "all"], read.Select(p => p.Id));
        Expect.Items(["r", "a", "u", "d", "raud"], read.Select(p => p.AccessPolicy.Permission));
        Expect.Equal(Tomorrow, read[0].AccessPolicy.ExpiresOn);
        Expect.Equal(Tomorrow.AddDays(-2), read[0].AccessPolicy.StartsOn);
        await Expect.Refused(400, "InvalidXmlDocument", () => table.SetAccessPolicyAsync([.. wanted, Policy("sixth", "r")]));

        var signer = new TableClient(account.Endpoint, table.Name, account.Credential, Account.Options());
        var signature = signer.GetSasBuilder((TableSasPermissions)0, default);  // the policy has both
        signature.Identifier = "all";
        var named = new UriBuilder(account.Endpoint) { Path = $"{account.Endpoint.AbsolutePath.TrimEnd('/')}/{table.Name}", Query = signature.Sign(account.Credential) };
        await Insert(Shared(named.Uri), "p", "r");
        await table.SetAccessPolicyAsync([]);
        await Expect.Refused(403, "AuthenticationFailed", () => Insert(Shared(named.Uri), "p", "s"));
    }

    [Case("a token is accepted over HTTPS, with the account's own address as its audience or the service's", OwnServer = true)]
    public static async Task Token(Account account)
    {
        var folder = Directory.CreateTempSubdirectory("rocktable-dotnet-tls-");
        try
        {
            using var server = Server.Start("--tls", "auto", "--oauth", "basic", "--location", folder.FullName);
            var table = new TableClient(server.Account.Endpoint, account.NewName(), new Tokens(), Trusting(server));
            await table.CreateAsync();
            await Insert(table, "p", "r");
            await table.SubmitTransactionAsync([new TableTransactionAction(TableTransactionActionType.Add, new TableEntity("p", "s"))]);
            Expect.Items(["pr", "ps"], await Keys(table));
            var own = server.Account.Endpoint.ToString().TrimEnd('/');
            Expect.Items(["pr", "ps"], await Keys(new TableClient(server.Account.Endpoint, table.Name, new Tokens(own), Trusting(server))));
            var wrong = new TableClient(server.Account.Endpoint, table.Name, new Tokens("https://vault.azure.net"), Trusting(server));
            await Expect.Refused(401, "InvalidAuthenticationInfo", () => Keys(wrong));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static TableClientOptions Trusting(Server server)
    {
        var options = Account.Options();
        var authority = System.Security.Cryptography.X509Certificates.X509CertificateLoader.LoadCertificateFromFile(server.CertificateAuthority!);
        var handler = new HttpClientHandler
        {
            ServerCertificateCustomValidationCallback = (_, certificate, chain, _) =>
            {
                chain!.ChainPolicy.TrustMode = System.Security.Cryptography.X509Certificates.X509ChainTrustMode.CustomRootTrust;
                chain.ChainPolicy.RevocationMode = System.Security.Cryptography.X509Certificates.X509RevocationMode.NoCheck;
                chain.ChainPolicy.CustomTrustStore.Add(authority);
                return chain.Build(certificate!);
            },
        };
        options.Transport = new Azure.Core.Pipeline.HttpClientTransport(handler);
        return options;
    }

    // Tokens that count for an hour; nobody checks their signatures.
    private sealed class Tokens(string audience = "https://storage.azure.com") : TokenCredential
    {
        private const string Tenant = "00000000-0000-0000-0000-000000000000";

        public override AccessToken GetToken(TokenRequestContext context, CancellationToken cancel)
        {
            var now = DateTimeOffset.UtcNow;
            string Encode(object part) => Convert.ToBase64String(System.Text.Json.JsonSerializer.SerializeToUtf8Bytes(part))
                .TrimEnd('=').Replace('+', '-').Replace('/', '_');
            var times = new { aud = audience, iss = $"https://sts.windows.net/{Tenant}/", iat = now.AddMinutes(-1).ToUnixTimeSeconds(),
                nbf = now.AddMinutes(-1).ToUnixTimeSeconds(), exp = now.AddHours(1).ToUnixTimeSeconds() };
            var token = $"{Encode(new { alg = "HS256", typ = "JWT" })}.{Encode(times)}.{Encode("nobody")}";
            return new AccessToken(token, now.AddHours(1));
        }

        public override ValueTask<AccessToken> GetTokenAsync(TokenRequestContext context, CancellationToken cancel) =>
            new(GetToken(context, cancel));
    }
}
