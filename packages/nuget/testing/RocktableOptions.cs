using System.Collections.Generic;

namespace Rocktable.Testing;

/// <summary>How to start a server.</summary>
public sealed class RocktableOptions
{
    /// <summary>A file or folder with data to begin with.</summary>
    public string? Seed { get; set; }

    /// <summary>
    /// The account that <see cref="RocktableServer.CreateAccountAsync"/> copies. Default: the account that the seed
    /// filled, if it is one.
    /// </summary>
    public string? Template { get; set; }

    /// <summary>A folder in which the data are kept. Default: they stay in memory.</summary>
    public string? Location { get; set; }

    /// <summary>
    /// Further options of the server, with the names of <c>rocktable --help</c>:
    /// <c>Options = { ["tls"] = "auto", ["explainAuth"] = true, ["tlsName"] = new[] { "a", "b" } }</c>.
    /// <c>false</c> and <c>null</c> omit an option; a sequence repeats it.
    /// </summary>
    public IDictionary<string, object?> Options { get; } = new Dictionary<string, object?>();
}
