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


def sbom(release):
    """Returns the document for the programs of a release."""
    libraries = versions()
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
            software("rocktable", release.version, "Apache-2.0"),
            *(software(library.name, version, library.license) for library, version in libraries),
        ],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": identifier("rocktable")},
            *(
                {
                    "spdxElementId": identifier("rocktable"),
                    "relationshipType": "STATIC_LINK",
                    "relatedSpdxElement": identifier(library.name),
                }
                for library, _ in libraries
            ),
        ],
    }
    return json.dumps(document, indent=2) + "\n"
