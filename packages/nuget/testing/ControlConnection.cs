using System.Linq;
using System.Net.Http;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Rocktable.Testing;

// How to reach a server on this machine: without a proxy, and over HTTPS by its own authority.
internal static class ControlConnection
{
    public static HttpMessageHandler Handler(string? authorityFile)
    {
        var handler = new HttpClientHandler { UseProxy = false };
        if (authorityFile == null) return handler;
#if NET
        var authority = X509CertificateLoader.LoadCertificateFromFile(authorityFile);
#else
        var authority = new X509Certificate2(authorityFile);
#endif
        // The platform has checked the name. CustomTrustStore does not exist in .NET Standard 2.0, so this compares the
        // root of the chain.
        handler.ServerCertificateCustomValidationCallback = (_, certificate, _, problems) =>
        {
            if ((problems & ~SslPolicyErrors.RemoteCertificateChainErrors) != 0 || certificate == null) return false;
            using var chain = new X509Chain();
            chain.ChainPolicy.ExtraStore.Add(authority);
            chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
            chain.ChainPolicy.VerificationFlags = X509VerificationFlags.AllowUnknownCertificateAuthority;
            if (!chain.Build(certificate)) return false;
            var root = chain.ChainElements[chain.ChainElements.Count - 1].Certificate;
            return root.RawData.SequenceEqual(authority.RawData);
        };
        return handler;
    }
}
