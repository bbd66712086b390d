namespace Rocktable.Clients;

// A test: a static method that takes the `Account` under test and throws where the service does not do what `name` says.
// `group` is the name of its class, in lower case.
[AttributeUsage(AttributeTargets.Method)]
internal sealed class CaseAttribute(string name) : Attribute
{
    public string Name { get; } = name;

    // Whether it starts a server with options of rocktable, so that it does not run against a given one.
    public bool OwnServer { get; init; }
}
