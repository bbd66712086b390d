using System.Text.RegularExpressions;

namespace Rocktable.Clients;

// Refusals by the service as this library tells them.
internal static partial class Expect
{
    // The call is refused by the service with this status and this error code.
    public static Task<RequestFailedException> Refused(int status, string code, Func<Task> call) =>
        Refused<RequestFailedException>(status, code, call);

    public static async Task<TException> Refused<TException>(int status, string code, Func<Task> call)
        where TException : RequestFailedException
    {
        try
        {
            await call();
        }
        catch (TException refusal)
        {
            if ((refusal.Status, Code(refusal)) != (status, code))
                throw new ExpectationException($"refused with {(refusal.Status, Code(refusal))}, expected {(status, code)}");
            return refusal;
        }
        throw new ExpectationException($"not refused, expected {(status, code)}");
    }

    // The library reads the code of JSON alone, and the front end of the service refuses in XML.
    private static string Code(RequestFailedException refusal) =>
        refusal.ErrorCode is { Length: > 0 } code ? code : Regex.Match(refusal.Message, "<(?:m:)?[cC]ode>(\\w+)<").Groups[1].Value;

    public static string Describe(Exception exception) => $"{exception.GetType().Name}: {exception.Message}";
}
