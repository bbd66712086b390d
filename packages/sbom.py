"""The software bill of materials, in the form of SPDX 2.3 (JSON)."""
import datetime
import hashlib
import json

from third_party import versions


def identifier(name):
    return "SPDXRef-" + "".join(character if character.isalnum() else "-" for character in name)


def software(name, version, license_expression):
    return {
        "SPDXID": identifier(name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license_expression,
        "licenseDeclared": license_expression,
        "copyrightText": "NOASSERTION",
    }


def relationship(element, kind, other):
    return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other}


def sbom(release):
    """Returns the document for the programs of a release: a package for each system, which contains the libraries of its
    program."""
    libraries = {system: versions(system) for system in release.systems}
    names = {system: "rocktable" if system == "linux" else f"rocktable-{system}" for system in release.systems}
    every = dict.fromkeys(one for some in libraries.values() for one in some)
    digest = hashlib.sha256("".join(sorted(release.digests().values())).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(release.time, datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"rocktable-{release.version}",
        "documentNamespace": f"urn:rocktable:{release.version}:{digest}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: rocktable script/package"]},
        "packages": [
            *(software(name, release.version, "Apache-2.0") for name in names.values()),
            *(software(library.name, version, library.license) for library, version in every),
        ],
        "relationships": [
            *(relationship("SPDXRef-DOCUMENT", "DESCRIBES", identifier(name)) for name in names.values()),
            *(
                relationship(identifier(names[system]), "STATIC_LINK", identifier(library.name))
                for system, some in libraries.items()
                for library, _ in some
            ),
        ],
    }
    return json.dumps(document, indent=2) + "\n"
