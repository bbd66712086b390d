namespace Rocktable.Clients;

// Refusals by the service as the older libraries tell them.
internal static partial class Expect
{
    // The call is refused by the service with this status and this error code.
    public static async Task<StorageException> Refused(int status, string code, Func<Task> call)
    {
        try
        {
            await call();
        }
        catch (StorageException refusal)
        {
            var seen = (refusal.RequestInformation?.HttpStatusCode, Code(refusal));
            if (seen != (status, code))
                throw new ExpectationException($"refused with {seen}, expected {(status, code)}: {Describe(refusal)}");
            return refusal;
        }
        throw new ExpectationException($"not refused, expected {(status, code)}");
    }

    public static string? Code(StorageException refusal) =>
        refusal.RequestInformation?.ExtendedErrorInformation?.ErrorCode;

    public static string Describe(Exception exception)
    {
        if (exception is not StorageException { RequestInformation: { } told }) return $"{exception.GetType().Name}: {exception.Message}";
        var error = told.ExtendedErrorInformation;
        return $"{told.HttpStatusCode} {error?.ErrorCode}: {error?.ErrorMessage ?? exception.Message}";
    }
}
