using System.Runtime.Serialization;

namespace Rocktable.Clients;

internal enum Grade
{
    Bronze,
    Silver,
    Gold,
}

// An entity with a property of each type.
internal sealed class Customer : ITableEntity
{
    public string PartitionKey { get; set; } = "";
    public string RowKey { get; set; } = "";
    public DateTimeOffset? Timestamp { get; set; }
    public ETag ETag { get; set; }

    public string? Name { get; set; }
    public int? Visits { get; set; }
    public long? Points { get; set; }
    public double? Score { get; set; }
    public bool? Active { get; set; }
    public DateTimeOffset? Since { get; set; }
    public Guid? Token { get; set; }
    public byte[]? Picture { get; set; }
    public Grade Grade { get; set; }

    [IgnoreDataMember]
    public string Local { get; set; } = "not stored";

    [DataMember(Name = "renamed")]
    public string? Other { get; set; }

    public static Customer Numbered(string partition, int number) => new()
    {
        PartitionKey = partition,
        RowKey = $"{number:d4}",
        Name = $"Zoë's 東京 {number}",
        Visits = number,
        Points = (1L << 40) + number,
        Score = number / 4.0,
        Active = number % 2 == 0,
        Since = new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero).AddTicks(number),
        Token = new Guid(number, 0, 0, new byte[8]),
        Picture = [0, (byte)number, 255],
        Grade = (Grade)(number % 3),
        Other = "other",
    };
}
