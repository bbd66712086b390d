// Runs the cases against a server of its own, or against the one that ROCKTABLE_TEST_CONNECTION_STRING names:
//
//   dotnet PROJECT.dll [FILTER...]
//
// Prints a line for each case, and at last one line of JSON: how many passed, and the names of those that failed. FILTER is
// part of a name, in any letter case. Exit code 1 where a case failed.
using System.Diagnostics;
using System.Reflection;
using System.Text.Json;

namespace Rocktable.Clients;

internal static class Program
{
    private static readonly TimeSpan CaseTimeout = TimeSpan.FromSeconds(30);

    private static async Task<int> Main(string[] filters)
    {
        var passed = 0;
        List<string> failed = [];
        using (var server = Server.StartOrConnect())
        {
            foreach (var (name, run) in Cases().Where(c => filters.Length == 0 || filters.Any(f => Matches(c.Name, f))))
            {
                var watch = Stopwatch.StartNew();
                var error = await Outcome(() => run(server.Account));
                if (error is null) passed++;
                else failed.Add(name);
                Console.WriteLine($"{(error is null ? "ok  " : "FAIL")} {name} ({watch.ElapsedMilliseconds} ms)");
                if (error is not null) Console.WriteLine("     " + error.Replace("\n", "\n     "));
            }
        }
        Console.WriteLine(JsonSerializer.Serialize(new { passed, failed }));
        return failed.Count == 0 ? 0 : 1;
    }

    private static bool Matches(string name, string filter) => name.Contains(filter, StringComparison.OrdinalIgnoreCase);

    private static IEnumerable<(string Name, Func<Account, Task> Run)> Cases() =>
        from type in Assembly.GetExecutingAssembly().GetTypes()
        from method in type.GetMethods(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public)
        let found = method.GetCustomAttribute<CaseAttribute>()
        where found is not null && !(found.OwnServer && Server.IsGiven)
        orderby type.Name
        select ($"{type.Name.ToLowerInvariant()}: {found.Name}", method.CreateDelegate<Func<Account, Task>>());

    // What went wrong, or null.
    private static async Task<string?> Outcome(Func<Task> run)
    {
        try
        {
            await run().WaitAsync(CaseTimeout);
            return null;
        }
        catch (ExpectationException failure)
        {
            return failure.Message;
        }
        catch (Exception unexpected)
        {
            return Expect.Describe(unexpected) + "\n" + unexpected.StackTrace;
        }
    }
}
