"""Cross-origin requests: preflights, and the headers of actual requests."""
from __future__ import annotations

from typing import Dict, Optional

from cases.access_operations import PROPERTIES
from conformance import (
    ANY,
    EMPTY,
    UNJUDGED,
    XML,
    Batch,
    Change,
    Session,
    Xml,
    anonymous,
    as_sent,
    check,
    doc,
    inferred,
    inserted_no_content,
    product,
    rec,
    rows,
    wrong_key,
)
from conformance.errors import CORS_PREFLIGHT_FAILURE, RESOURCE_NOT_FOUND, Refusal
from conformance.session import Exchange

PAGE = ("learn.microsoft.com/rest/api/storageservices/"
        "cross-origin-resource-sharing--cors--support-for-the-azure-storage-services")
PREFLIGHT_PAGE = "learn.microsoft.com/rest/api/storageservices/preflight-table-request"
PREFLIGHT = doc(PREFLIGHT_PAGE, "If CORS is enabled for the service and a CORS rule matches the preflight "
                                "request, the service responds with status code 200 (OK).")
REFUSED = doc(PREFLIGHT_PAGE, "If CORS is not enabled or no CORS rule matches the preflight request, the "
                              "service responds with status code 403 (Forbidden).")
READ = rec("js/browsers/special_characters/"
           "recording_should_handle_partition_and_row_keys_with_special_chars")
LISTED = rec("js/browsers/tableclient_listentities/recording_should_list_binary_with_filter")
POLICIES = rec("js/node/access_policy_operations/recording_should_send_a_null_ap")
ONE_EXPOSED = rec("java/TableServiceClientTest.setGetProperties")
VARY = doc(PAGE, "Azure Storage sets the Vary header to Origin for actual GET/HEAD requests when the request "
                 "origin exactly matches the allowed origin defined by a CORS rule, and when there is no "
                 "rule matching the request origin, but CORS is enabled for the storage service.")
NO_VARY = doc(PAGE, "For requests using methods other than GET/HEAD, the storage services will not set the "
                    "Vary header.")
ADDED = doc(PAGE, "If a match is found, the Access-Control headers are added to the response and sent "
                  "back to the client.")
INVALID_HEADERS = Refusal(400, "InvalidHeaderValue", "A required CORS header is not present.", front_end=True)

EXACT, OTHER = "http://exact.example", "http://other.example"


def rule(methods: str, origins: str, allowed: str = "", exposed: str = "", age: int = 0) -> str:
    return (f"<CorsRule><AllowedMethods>{methods}</AllowedMethods><AllowedOrigins>{origins}</AllowedOrigins>"
            f"<AllowedHeaders>{allowed}</AllowedHeaders><ExposedHeaders>{exposed}</ExposedHeaders>"
            f"<MaxAgeInSeconds>{age}</MaxAgeInSeconds></CorsRule>")


# Few sets of rules: the real service takes up to half a minute to apply each.
SEVERAL = [rule("GET,PUT,POST,DELETE", EXACT, "x-ms-version,x-ms-meta-*", "ETag,x-ms-*", 11),
           rule("GET", "http://one.example,http://two.example", "accept", "Date", 12),
           rule("GET,MERGE", "https://*.wild.example", "*", "*", 13),
           rule("MERGE", EXACT, "*", "*", 14)]
ANYBODY = [rule("GET,POST,PUT,DELETE", "*", "*", "*", 60)]
READERS = [rule("GET", "*", "accept", "x-ms-client-request-id", 15)]
NOBODY: list = []


def with_rules(s: Session, rules: list) -> None:
    """Sets the rules unless the account has them."""
    document = f"<Cors>{''.join(rules)}</Cors>" if rules else "<Cors />"
    written = document
    for name in ("AllowedHeaders", "ExposedHeaders"):
        written = written.replace(f"<{name}></{name}>", f"<{name} />")
    if written in s.get(PROPERTIES).ok().answer.text:
        return
    document = f"<StorageServiceProperties>{document}</StorageServiceProperties>"
    s.put(PROPERTIES, document, content_type=XML).ok()
    s.wait_for_service()


def cors(title: str, evidence, each=({},), requests: int = 3, needs=()):
    return check(title, evidence, each, needs=needs, service_properties=True, requests=requests)


# --- preflight ------------------------------------------------------------------------------------


def preflight(s: Session, origin: Optional[str], method: Optional[str], headers: Optional[str] = None,
              path: str = "/Tables", **more) -> Exchange:
    return s.send("OPTIONS", path, accept="*/*", version=None, **{"auth": anonymous, **more}, headers={
        "Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers,
        "DataServiceVersion": None})


def allowed(answer: Exchange, origin: str, method: str, age: int, headers: Optional[str] = None) -> None:
    """Judges the headers of CORS alone. Credentials are those of a rule with a list of origins."""
    live = as_sent(answer.answer)
    wanted: Dict[str, object] = {
        "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Methods": method,
        "Access-Control-Max-Age": str(age)}
    if origin != "*":
        wanted["Access-Control-Allow-Credentials"] = "true"
    if headers:
        wanted["Access-Control-Allow-Headers"] = headers
    else:
        live = {name: value for name, value in live.items() if name != "Access-Control-Allow-Headers"}
    answer.is_(200, EMPTY, headers={**live, **wanted})


def refused(answer: Exchange, refusal: Refusal = CORS_PREFLIGHT_FAILURE) -> None:
    live = as_sent(answer.answer)
    live = {name: value for name, value in live.items() if not name.startswith("Access-Control")}
    answer.fails(refusal, headers=live)


ALLOWED = [(EXACT, "GET", None, 11), (EXACT, "PUT", "x-ms-version", 11), (EXACT, "POST", "X-MS-VERSION", 11),
           (EXACT, "DELETE", "x-ms-meta-a", 11), (EXACT, "GET", "X-Ms-Meta-B", 11),
           (EXACT, "GET", "x-ms-meta-", 11), (EXACT, "MERGE", "x-anything", 14),
           ("http://one.example", "GET", None, 12), ("http://two.example", "GET", "Accept", 12),
           ("https://a.wild.example", "GET", "x-anything", 13), ("https://a.wild.example", "MERGE", None, 13),
           ("https://a.b.wild.example", "GET", None, 13)]
WILD = inferred("A rule may name all subdomains of a host, as https://*.contoso.com.")


@cors("A preflight is allowed: {method} of {origin} with {headers}",
      lambda origin, **_: WILD if ".wild." in origin else PREFLIGHT,
      rows("origin method headers age", ALLOWED))
def allowed_preflight(s: Session, origin, method, headers, age):
    with_rules(s, SEVERAL)
    allowed(preflight(s, origin, method, headers), origin, method, age, headers)


DENIED = [(OTHER, "GET", None), ("HTTP://EXACT.EXAMPLE", "GET", None), (f"{EXACT}:80", "GET", None),
          ("https://exact.example", "GET", None), (f"{EXACT}.evil", "GET", None),
          ("exact.example", "GET", None),
          ("null", "GET", None), ("*", "GET", None), (EXACT, "PATCH", None), (EXACT, "HEAD", None),
          (EXACT, "GET", "x-other"), (EXACT, "GET", "x-ms-versions"), (EXACT, "GET", "x-ms-met"),
          (EXACT, "GET", "x-ms-version,x-other"), ("http://two.example", "PUT", None),
          ("http://one.example,http://two.example", "GET", None), ("https://wild.example", "GET", None),
          ("http://a.wild.example", "GET", None), ("https://a.wild.example.evil", "GET", None),
          ("https://awild.example", "GET", None), ("https://a.wild.example", "PUT", None)]


@cors("A preflight is refused: {method} of {origin} with {headers}",
      lambda origin, **_: WILD if "wild" in origin else REFUSED, rows("origin method headers", DENIED))
def denied(s: Session, origin, method, headers):
    with_rules(s, SEVERAL)
    refused(preflight(s, origin, method, headers))


@cors("A preflight names several headers: {headers}", PREFLIGHT,
      product(headers=["x-ms-version,x-ms-meta-a", "x-ms-meta-b, x-ms-version", "x-ms-meta-a,x-ms-meta-b"]))
def several_headers(s: Session, headers):
    with_rules(s, SEVERAL)
    answer = preflight(s, EXACT, "GET", headers)
    allowed(answer, EXACT, "GET", 11, ANY)
    named = (answer.answer.header("Access-Control-Allow-Headers") or "").replace(" ", "").split(",")
    s.holds("the allowed headers are the requested ones", sorted(named) == sorted(
        headers.replace(" ", "").split(",")), named)


MISSING = doc(PREFLIGHT_PAGE, "An example of a malformed request is one that doesn't contain the required "
                              "Origin and Access-Control-Request-Method headers.")


@cors("A preflight needs {what}: {rules}", MISSING,
      product(rules={"with rules": SEVERAL, "without rules": NOBODY},
              what={"Origin": (None, "GET"), "Access-Control-Request-Method": (EXACT, None),
                    "both headers": (None, None)}))
def missing(s: Session, what, rules):
    with_rules(s, rules)
    refused(preflight(s, *what), INVALID_HEADERS)


PLACES = ["/", "/Tables", "/{table}", "/{absent}", "/{table}(PartitionKey='p',RowKey='r')", "/$batch",
          "/{table}?comp=acl"]


@cors("A preflight is allowed at {path}",
      doc(PREFLIGHT_PAGE, "The presence or absence of the resource name does not affect the success or "
                          "failure of the operation."),
      product(path=PLACES))
def places(s: Session, path):
    with_rules(s, SEVERAL)
    answer = preflight(s, EXACT, "PUT", path=path.format(table=s.table, absent=s.new_name()))
    allowed(answer, EXACT, "PUT", 11)


@cors("A preflight ignores credentials",
      doc(PREFLIGHT_PAGE, "It does not require authorization, and it ignores credentials if they're "
                          "provided."))
def credentials(s: Session):
    with_rules(s, SEVERAL)
    allowed(preflight(s, EXACT, "PUT", auth=wrong_key), EXACT, "PUT", 11)


# The example of the documentation: the second rule decides over the third, whatever the headers.
SITE = "http://www.contoso.com"
EXAMPLE = [rule("PUT,HEAD", SITE, "x-ms-a,x-ms-b", "x-ms-*", 5),
           rule("PUT,GET", "*", "x-ms-a,x-ms-b", "x-ms-*", 6),
           rule("GET", SITE, "x-ms-client-request-id", "x-ms-*", 7)]
DECIDES = doc(PAGE, "If the request matches a rule in its origin domain and its method, that rule is "
                    "selected to process the request and no further rules are evaluated.")


@cors("The first rule for origin and method decides: {method} with {headers}", DECIDES,
      rows("method headers origin age", [
          ("PUT", "x-ms-a", SITE, 5), ("GET", "x-ms-a", "*", 6), ("GET", None, "*", 6),
          ("GET", "x-ms-client-request-id", None, None), ("PUT", "x-ms-client-request-id", None, None)]))
def first_decides(s: Session, method, headers, origin, age):
    with_rules(s, EXAMPLE)
    answer = preflight(s, SITE, method, headers)
    if origin:
        allowed(answer, origin, method, age, headers)
    else:
        refused(answer)


@cors("A preflight of {method} by anybody is allowed", PREFLIGHT, product(method=["GET", "POST", "DELETE"]))
def anybody(s: Session, method):
    with_rules(s, ANYBODY)
    allowed(preflight(s, OTHER, method, "x-anything"), "*", method, 60, "x-anything")


@cors("A preflight is refused where there are no rules", REFUSED)
def no_rules(s: Session):
    with_rules(s, NOBODY)
    refused(preflight(s, EXACT, "GET"))


# --- actual requests ------------------------------------------------------------------------------

ID = "0d391d16-97f1-4b9a-be68-4cc871f90001"
RECORDED = ("x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,X-Content-Type-Options,Cache-Control,"
            "{}Content-Type,Content-Length,Date,Transfer-Encoding")
OF_POLICIES = ("x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,Content-Length,Date,"
               "Transfer-Encoding")
FOR_ALL = {"Access-Control-Allow-Origin": "*"}
FOR_EXACT = {"Access-Control-Allow-Origin": EXACT, "Access-Control-Allow-Credentials": "true"}
VARIES = {"Vary": "Origin"}
ORIGINS = {"an origin": OTHER, "no origin": None}


def exposing(names: str) -> Dict[str, object]:
    return {"Access-Control-Expose-Headers": names}


def get(s: Session, origin: Optional[str], path: str = "", **more) -> Exchange:
    return s.get(path or s.entity_url(), headers={"Origin": origin, "x-ms-client-request-id": ID}, **more)


def as_exposed(answer: Exchange) -> Dict[str, object]:
    """The list of exposed headers as it came: no source shows it for this answer."""
    names = answer.answer.header("Access-Control-Expose-Headers")
    return exposing(names) if names else {}


@cors("GET of an entity by anybody with {origin} exposes its headers", READ, product(origin=ORIGINS))
def exposed_by_entity(s: Session, origin):
    with_rules(s, ANYBODY)
    s.given({"n": 1})
    get(s, origin).is_(200, s.document({"n": 1}), more={**FOR_ALL, **exposing(RECORDED.format("ETag,"))})


@cors("A query by anybody with {origin} exposes its headers", LISTED, product(origin=ORIGINS))
def exposed_by_query(s: Session, origin):
    with_rules(s, ANYBODY)
    s.given({"n": 1})
    answer = get(s, origin, f"/{s.table}()", query={"$filter": f"PartitionKey eq '{s.pk}'"})
    item = s.documents.entity_item(s.table, s.pk, "r", {"n": 1}, "minimalmetadata")
    answer.is_(200, s.documents.entities(s.table, [item]), more={**FOR_ALL, **exposing(RECORDED.format(""))})


@cors("GET of policies by anybody with {origin} exposes its headers", POLICIES, product(origin=ORIGINS),
      needs=["key"])
def exposed_by_policies(s: Session, origin):
    with_rules(s, ANYBODY)
    answer = get(s, origin, f"/{s.table}?comp=acl")
    answer.is_(200, Xml("<SignedIdentifiers />", bom=True), more={**FOR_ALL, **exposing(OF_POLICIES)})


@cors("GET of {what} by anybody with {origin} exposes what the rule allows", ONE_EXPOSED,
      product(what=["an entity", "the properties"], origin=ORIGINS))
def one_exposed(s: Session, what, origin):
    with_rules(s, READERS)
    s.given({"n": 1})
    answer = get(s, origin, "" if what == "an entity" else PROPERTIES)
    answer.is_(200, s.document({"n": 1}) if what == "an entity" else UNJUDGED,
               more={**FOR_ALL, **exposing("x-ms-client-request-id")})


@cors("GET by a listed origin has its headers and Vary: {origin}", VARY,
      rows("origin exposed", [(EXACT, "x-ms-request-id,x-ms-client-request-id,x-ms-version,ETag"),
                              ("http://two.example", "Date")]))
def listed(s: Session, origin, exposed):
    with_rules(s, SEVERAL)
    s.given({"n": 1})
    get(s, origin).is_(200, s.document({"n": 1}), more={
        **FOR_EXACT, "Access-Control-Allow-Origin": origin, **VARIES, **exposing(exposed)})


UNMATCHED = {"another origin": OTHER, "no origin": None, "an origin in upper case": EXACT.upper()}


@cors("GET with {origin}, which no rule matches, has Vary alone", VARY, product(origin=UNMATCHED))
def unmatched(s: Session, origin):
    with_rules(s, SEVERAL)
    s.given({"n": 1})
    get(s, origin).is_(200, s.document({"n": 1}), more=VARIES)


@cors("GET of an absent entity with {origin} has the headers of its rule",
      lambda origin: VARY if origin == OTHER else ADDED,
      product(origin={"an origin": EXACT, "another origin": OTHER}))
def errors(s: Session, origin):
    with_rules(s, SEVERAL)
    answer = get(s, origin)
    more = {**VARIES, **FOR_EXACT, **as_exposed(answer)} if origin == EXACT else VARIES
    answer.fails(RESOURCE_NOT_FOUND, more=more)


@cors("GET of {what} has Vary where no rule matches", VARY, product(what=["policies"]), needs=["key"])
@cors("GET of {what} has Vary where no rule matches", VARY, product(what=["tables", "properties"]))
def varying_resources(s: Session, what):
    with_rules(s, SEVERAL)
    path = {"tables": f"/Tables('{s.table}')", "policies": f"/{s.table}?comp=acl",
            "properties": PROPERTIES}[what]
    get(s, OTHER, path).is_(200, UNJUDGED, more=VARIES)


@cors("GET with {origin} has no headers where there are no rules", VARY, product(origin=ORIGINS))
def without_rules(s: Session, origin):
    with_rules(s, NOBODY)
    s.given({"n": 1})
    get(s, origin).is_(200, s.document({"n": 1}))


def write(s: Session, method: str, origin: Optional[str]) -> Exchange:
    if method == "POST":
        return s.insert({"n": 1}, prefer="return-no-content", headers={"Origin": origin})
    match = s.given({"n": 0}) if method == "DELETE" else None
    body = None if match else {"n": 1}
    return s.send(method, s.entity_url(), body, if_match=match, headers={"Origin": origin})


@cors("{method} by a listed origin has its headers and no Vary", NO_VARY,
      product(method=["POST", "PUT", "DELETE"]))
def written(s: Session, method):
    with_rules(s, SEVERAL)
    answer = write(s, method, EXACT)
    answer.is_(204, more={**FOR_EXACT, **as_exposed(answer)})


@cors("{method} by anybody has the headers of the rule", ADDED, product(method=["POST", "PUT", "DELETE"]))
def written_by_anybody(s: Session, method):
    with_rules(s, ANYBODY)
    answer = write(s, method, OTHER)
    answer.is_(204, more={**FOR_ALL, **as_exposed(answer)})


@cors("{method} without an origin has no headers: {rules}", POLICIES,
      product(rules={"a rule for anybody": ANYBODY, "listed origins": SEVERAL},
              method=["POST", "PUT", "DELETE"]))
def written_without_origin(s: Session, method, rules):
    with_rules(s, rules)
    write(s, method, None).is_(204)


OTHERS = {"another origin": OTHER, "an origin that may only read": "http://one.example"}


@cors("{method} with {origin} is carried out without headers", NO_VARY,
      product(method=["POST", "PUT", "DELETE"], origin=OTHERS))
def written_by_others(s: Session, method, origin):
    with_rules(s, SEVERAL)
    write(s, method, origin).is_(204)


@cors("A batch with {origin} has no headers", POLICIES,
      product(origin={"no origin": None, "another origin": OTHER}))
def batch(s: Session, origin):
    with_rules(s, SEVERAL)
    changes = [Change("POST", f"/{s.table}", s.keys(), prefer="return-no-content")]
    s.batch(Batch(changes), headers={"Origin": origin}).has([inserted_no_content(s.location())])
