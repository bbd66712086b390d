using System.Runtime.CompilerServices;

namespace Rocktable.Clients;

internal sealed class ExpectationException(string message) : Exception(message);

// What a case states. Each failure names the expression and its value.
internal static partial class Expect
{
    public static void True(bool condition, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        if (!condition) throw new ExpectationException($"not true: {what}");
    }

    public static void False(bool condition, [CallerArgumentExpression(nameof(condition))] string what = "") =>
        True(!condition, $"!({what})");

    public static void Equal<T>(T expected, T actual, [CallerArgumentExpression(nameof(actual))] string what = "")
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
            throw new ExpectationException($"{what} is {Show(actual)}, expected {Show(expected)}");
    }

    public static void Items<T>(T[] expected, IEnumerable<T>? actual, [CallerArgumentExpression(nameof(actual))] string what = "")
    {
        if (actual is null || !expected.SequenceEqual(actual))
            throw new ExpectationException($"{what} is {Show(actual)}, expected {Show(expected)}");
    }

    // The library refuses the call by itself, with such an exception.
    public static async Task<TException> Throws<TException>(Func<Task> call)
        where TException : Exception
    {
        try
        {
            await call();
        }
        catch (TException expected)
        {
            return expected;
        }
        throw new ExpectationException($"no {typeof(TException).Name}");
    }

    private static string Show(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        System.Collections.IEnumerable items => "[" + string.Join(", ", items.Cast<object?>().Select(Show)) + "]",
        _ => FormattableString.Invariant($"{value}"),
    };
}
