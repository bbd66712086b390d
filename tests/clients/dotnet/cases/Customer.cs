namespace Rocktable.Clients;

// An entity as programs declare it: a property of each type that the service has.
internal sealed class Customer : TableEntity
{
    public Customer()
    {
    }

    public Customer(string partition, string row)
        : base(partition, row)
    {
    }

    public string? Name { get; set; }
    public int Visits { get; set; }
    public long Points { get; set; }
    public double Ratio { get; set; }
    public bool Active { get; set; }
    public Guid Token { get; set; }
    public DateTimeOffset Since { get; set; }
    public byte[]? Picture { get; set; }
    public int? Age { get; set; }

    [IgnoreProperty]
    public string? Secret { get; set; }

    // The `number`-th of some customers, which differ in every property and are in order by each; `Active` is the second.
    public static Customer Numbered(string partition, int number) => new(partition, $"{number:d4}")
    {
        Name = $"name {(char)('a' + number)}",
        Visits = number,
        Points = number * 10_000_000_000L,
        Ratio = number + 0.5,
        Active = number == 2,
        Token = new Guid(number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
        Since = new DateTimeOffset(2020, 1, number % 28 + 1, 3, 4, 5, TimeSpan.Zero),
        Picture = [(byte)number, 0xff],
    };
}
