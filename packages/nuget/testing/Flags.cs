using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Rocktable.Testing;

// Turns options into the command line of the server. It knows no names of options, except those that differ from the
// server's own defaults, so new options of the server need no change here.
internal static class Flags
{
    private static readonly string[] ReservedNames = ["readyFile", "stopAtInputEnd"];

    public static IEnumerable<string> Of(RocktableOptions options)
    {
        var reserved = ReservedNames.FirstOrDefault(options.Options.ContainsKey);
        if (reserved != null) throw new ArgumentException($"StartAsync sets the option {reserved} itself");
        var all = new Dictionary<string, object?>
        {
            ["inMemoryPersistence"] = options.Location == null,
            ["location"] = options.Location,
            ["tablePort"] = 0,
            ["silent"] = true,
            ["anyAccount"] = true,
            ["seed"] = options.Seed,
        };
        foreach (var option in options.Options) all[option.Key] = option.Value;
        return all.SelectMany(option => Repeated(option.Value).SelectMany(value => Words(option.Key, value)));
    }

    private static IEnumerable<object?> Repeated(object? value) =>
        value is IEnumerable values and not string ? values.Cast<object?>() : [value];

    private static IEnumerable<string> Words(string name, object? value) => value switch
    {
        null or false => [],
        true => [$"--{name}"],
        _ => [$"--{name}={Convert.ToString(value, CultureInfo.InvariantCulture)}"],
    };
}
