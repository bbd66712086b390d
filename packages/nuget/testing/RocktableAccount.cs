using System;

namespace Rocktable.Testing;

/// <summary>An account of the server. Accounts share nothing.</summary>
public sealed class RocktableAccount
{
    internal RocktableAccount(string name, string connectionString, Uri endpoint)
    {
        Name = name;
        ConnectionString = connectionString;
        Endpoint = endpoint;
    }

    /// <summary>The name of the account.</summary>
    public string Name { get; }

    /// <summary>What clients connect with.</summary>
    public string ConnectionString { get; }

    /// <summary>Such as <c>http://127.0.0.1:41441/name</c>.</summary>
    public Uri Endpoint { get; }
}
