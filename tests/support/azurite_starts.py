"""How tools start the image of Azurite: their exact arguments, from their sources."""
import typing

ALL_HOSTS = ["--blobHost", "0.0.0.0", "--queueHost", "0.0.0.0", "--tableHost", "0.0.0.0"]
WELL_KNOWN = "devstoreaccount1:Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


class AzuriteStart(typing.NamedTuple):
    tool: str
    entry: typing.Optional[str]  # replaces the entry point of the image; None: the entry point is kept
    arguments: list
    environment: dict = {}
    services: tuple = ("Blob", "Queue", "Table")  # services whose lines of output the tool waits for


STARTS = [
    # dotnet/aspire, AzureStorageExtensions
    AzuriteStart(".NET Aspire", None, ["azurite", "-l", "/data", *ALL_HOSTS, "--disableProductStyleUrl", "--skipApiVersionCheck"]),
    # testcontainers-java, AzuriteContainer
    AzuriteStart("Testcontainers for Java", None, ["azurite", *ALL_HOSTS]),
    # testcontainers-dotnet, AzuriteBuilder
    AzuriteStart("Testcontainers for .NET", "azurite", ALL_HOSTS),
    AzuriteStart("Testcontainers for .NET, in memory", "azurite",
                 [*ALL_HOSTS, "--inMemoryPersistence", "--extentMemoryLimit", "64"]),
    # testcontainers-go, modules/azure/azurite
    AzuriteStart("Testcontainers for Go", "azurite", ["--inMemoryPersistence", "--extentMemoryLimit", "64.000000", *ALL_HOSTS]),
    AzuriteStart("Testcontainers for Go, tables alone", "azurite", ["--tableHost", "0.0.0.0"], services=("Table",)),
    # testcontainers-node, modules/azurite
    AzuriteStart("Testcontainers for Node.js", "azurite",
                 [*ALL_HOSTS, "--inMemoryPersistence", "--extentMemoryLimit", "64", "--skipApiVersionCheck"]),
    # testcontainers-python, modules/azurite: the image's own command
    AzuriteStart("Testcontainers for Python", None, [], {"AZURITE_ACCOUNTS": WELL_KNOWN}, services=()),
]
