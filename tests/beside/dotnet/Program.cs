using Rocktable.Beside;

return args switch
{
    ["orders", var credential] => await Orders.RunAsync(credential),
    ["durable"] => await Durable.RunAsync(),
    ["webjobs"] => await WebJobs.RunAsync(),
    ["orleans"] => await Silo.RunAsync(),
    _ => throw new ArgumentException("orders CREDENTIAL, durable, webjobs or orleans"),
};
