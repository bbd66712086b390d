using System;
using System.Net;

namespace Rocktable.Testing;

/// <summary>
/// The server could not start, or refused a call, or does not answer. The message is the server's own sentence, if it
/// has one.
/// </summary>
public sealed class RocktableException : Exception
{
    internal RocktableException(string message, HttpStatusCode? status = null, Exception? inner = null)
        : base(message, inner) => Status = status;

    /// <summary>The HTTP status of a refused call; otherwise null.</summary>
    public HttpStatusCode? Status { get; }
}
