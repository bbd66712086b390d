"""Get and set the properties of the service; statistics of the secondary location."""
from __future__ import annotations

import re
import time
from typing import Callable, Dict, Optional
from xml.etree import ElementTree

from cases.access_operations import PROPERTIES, STATS
from conformance import (
    UNJUDGED,
    XML,
    Session,
    Xml,
    as_sent,
    check,
    doc,
    inferred,
    product,
    rec,
    rows,
)
from conformance.errors import (
    INVALID_QUERY_PARAMETER,
    INVALID_XML_DOCUMENT,
    INVALID_XML_NODE_VALUE,
)

PAGE = "learn.microsoft.com/rest/api/storageservices/set-table-service-properties"
LOGGED = rec("go/TestSetLogging")
HOURS = rec("go/TestSetHoursMetrics")
MINUTES = rec("go-late/TestSetMinuteMetrics@2d53a86")
CORS = rec("python/test_table_service_properties.test_set_cors")
TOO_LONG = rec("python/test_table_service_properties.test_retention_too_long")
DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'


# --- documents as the service writes them ---------------------------------------------------------


def flag(value: bool) -> str:
    return "true" if value else "false"


def retention(days: Optional[int]) -> str:
    number = "" if days is None else f"<Days>{days}</Days>"
    return f"<RetentionPolicy><Enabled>{flag(days is not None)}</Enabled>{number}</RetentionPolicy>"


def logging(read: bool, write: bool, delete: bool, days: Optional[int]) -> str:
    return (f"<Logging><Version>1.0</Version><Read>{flag(read)}</Read><Write>{flag(write)}</Write>"
            f"<Delete>{flag(delete)}</Delete>{retention(days)}</Logging>")


def metrics(name: str, include: Optional[bool], days: Optional[int]) -> str:
    """`include` is None where metrics are not enabled."""
    apis = "" if include is None else f"<IncludeAPIs>{flag(include)}</IncludeAPIs>"
    return (f"<{name}><Version>1.0</Version><Enabled>{flag(include is not None)}</Enabled>{apis}"
            f"{retention(days)}</{name}>")


def rule(methods: str = "GET", origins: str = "http://www.example.com", allowed: str = "x-a",
         exposed: str = "x-b", age: object = 10) -> str:
    return (f"<CorsRule><AllowedMethods>{methods}</AllowedMethods><AllowedOrigins>{origins}</AllowedOrigins>"
            f"<AllowedHeaders>{allowed}</AllowedHeaders><ExposedHeaders>{exposed}</ExposedHeaders>"
            f"<MaxAgeInSeconds>{age}</MaxAgeInSeconds></CorsRule>")


def cors(*rules: str) -> str:
    return f"<Cors>{''.join(rules)}</Cors>"


def document(*sections: str) -> str:
    return f"<StorageServiceProperties>{''.join(sections)}</StorageServiceProperties>"


NOW = {"Logging": logging(True, False, False, 3), "HourMetrics": metrics("HourMetrics", True, 4),
       "MinuteMetrics": metrics("MinuteMetrics", None, None), "Cors": cors(rule("PUT", age=7))}
OTHER = {"Logging": logging(False, True, True, None), "HourMetrics": metrics("HourMetrics", None, None),
         "MinuteMetrics": metrics("MinuteMetrics", False, 365), "Cors": cors(rule("GET"), rule("POST,PUT"))}
EVIDENCE = {"Logging": LOGGED, "HourMetrics": HOURS, "MinuteMetrics": MINUTES, "Cors": CORS}


def put(s: Session, body: str, **more):
    """Sets the properties, with a declaration of XML as most libraries do."""
    return s.put(PROPERTIES, DECLARATION + body, content_type=XML, **more)


def prepare(s: Session) -> None:
    put(s, document(*NOW.values())).ok()


def read_back(s: Session, changes: Dict[str, str]) -> None:
    """Judges the whole document. The real service may take half a minute to apply a change."""
    expected = document(*{**NOW, **changes}.values())
    for _ in range(0 if s.local else 10):
        if s.get(PROPERTIES).ok().answer.text.endswith(expected.replace("<Cors></Cors>", "<Cors />")):
            break
        time.sleep(4)
    s.get(PROPERTIES).is_(200, Xml(expected, bom=True))


def setting(title: str, evidence, each=({},), requests: int = 3) -> Callable:
    return check(title, evidence, each, service_properties=True, requests=requests)


# --- get ------------------------------------------------------------------------------------------

METRICS_ORDER = ["Version", "Enabled", "IncludeAPIs", "RetentionPolicy"]
ORDERS = {"StorageServiceProperties": ["Logging", "HourMetrics", "MinuteMetrics", "Cors"],
          "Logging": ["Version", "Read", "Write", "Delete", "RetentionPolicy"],
          "HourMetrics": METRICS_ORDER, "MinuteMetrics": METRICS_ORDER,
          "RetentionPolicy": ["Enabled", "Days"],
          "CorsRule": ["AllowedMethods", "AllowedOrigins", "AllowedHeaders", "ExposedHeaders",
                       "MaxAgeInSeconds"]}


@check("The properties are got in the order of their elements, Accept {accept}",
       lambda accept: rec("cpp/ServiceClientSet-key") if accept is None else LOGGED,
       product(accept={XML: XML, "none": None}), requests=1)
def got(s: Session, accept):
    answer = s.get(PROPERTIES, accept=accept).is_(200, UNJUDGED).answer
    s.holds("the document begins with a byte order mark and the declaration",
            answer.text.startswith("\ufeff" + DECLARATION + "<"), answer.text[:80])
    for node in ElementTree.fromstring(answer.text.lstrip("\ufeff")).iter():
        names, order = [child.tag for child in node], ORDERS.get(node.tag, [])
        known = [name for name in order if name in names]
        s.holds(f"the elements of {node.tag} are in their order", node.tag == "Cors" or names == known, names)


@check("The properties are got by {query}", LOGGED,
       product(query=["restype=service&comp=properties", "comp=properties&restype=service",
                      "restype=service&comp=properties&timeout=30"]), requests=1)
def queries(s: Session, query):
    s.get("/", query=query).is_(200, UNJUDGED)


# --- set ------------------------------------------------------------------------------------------


@setting("{section} alone changes no other section", lambda section: EVIDENCE[section],
         product(section=[*NOW]))
def alone(s: Session, section):
    prepare(s)
    put(s, document(OTHER[section])).is_(202)
    read_back(s, {section: OTHER[section]})


@setting("All sections are set at once, {form}", rec("java/TableServiceClientTest.setGetProperties"),
         product(form=["in their order", "in reverse order", "without a declaration", "with line breaks"]))
def all_sections(s: Session, form):
    prepare(s)
    sections = list(OTHER.values())
    text = document(*(reversed(sections) if form == "in reverse order" else sections))
    if form == "with line breaks":
        text = "\n" + text.replace("><", ">\n  <") + "\n"
    if form == "without a declaration":
        s.put(PROPERTIES, text, content_type=XML).is_(202)
    else:
        put(s, text).is_(202)
    read_back(s, OTHER)


DISORDER = {
    "Logging": "<Logging><Delete>true</Delete><Read>false</Read><RetentionPolicy><Days>5</Days>"
               "<Enabled>true</Enabled></RetentionPolicy><Version>1.0</Version><Write>true</Write></Logging>",
    "HourMetrics": "<HourMetrics><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy><IncludeAPIs>"
                   "false</IncludeAPIs><Enabled>true</Enabled><Version>1.0</Version></HourMetrics>",
    "Cors": "<Cors><CorsRule><MaxAgeInSeconds>9</MaxAgeInSeconds><ExposedHeaders>b</ExposedHeaders>"
            "<AllowedHeaders>a</AllowedHeaders><AllowedOrigins>http://x</AllowedOrigins>"
            "<AllowedMethods>GET</AllowedMethods></CorsRule></Cors>"}
ORDERED = {"Logging": logging(False, True, True, 5), "HourMetrics": metrics("HourMetrics", False, None),
           "Cors": cors(rule("GET", "http://x", "a", "b", 9))}


@setting("The elements of {section} may come in any order", lambda section: EVIDENCE[section],
         product(section=[*DISORDER]))
def any_order(s: Session, section):
    prepare(s)
    put(s, document(DISORDER[section])).is_(202)
    read_back(s, {section: ORDERED[section]})


BOOLEANS = inferred("Libraries write Booleans as their languages do, as False.")


@setting("Booleans are read as {true} and {false}", BOOLEANS,
         rows("true false", [("True", "False"), ("TRUE", "FALSE"), ("tRuE", "fAlSe")]))
def booleans(s: Session, true, false):
    prepare(s)
    text = document(OTHER["Logging"], OTHER["MinuteMetrics"])
    put(s, text.replace("true", true).replace("false", false)).is_(202)
    read_back(s, {name: OTHER[name] for name in ("Logging", "MinuteMetrics")})


def with_days(section: str, days: object) -> str:
    text = logging(True, True, True, 1) if section == "Logging" else metrics(section, True, 1)
    return text.replace("<Days>1</Days>", f"<Days>{days}</Days>")


DAYS = doc(PAGE, "The minimum value you can specify is 1; the largest value is 365 (one year).")
SECTIONS = ["Logging", "HourMetrics", "MinuteMetrics"]


@setting("{section} is kept for {days} days", DAYS, product(section=SECTIONS, days=[1, 365]))
def days_kept(s: Session, section, days):
    prepare(s)
    put(s, document(with_days(section, days))).is_(202)
    read_back(s, {section: with_days(section, days)})


@setting("{section} cannot be kept for {days} days", lambda days, **_: TOO_LONG if days == 366 else DAYS,
         product(section=SECTIONS, days=[0, 366]))
def too_many_days(s: Session, section, days):
    prepare(s)
    put(s, document(with_days(section, days))).fails(INVALID_XML_DOCUMENT)
    read_back(s, {})


@setting("Headers are written with prefixes last: {given}", CORS,
         rows("given written", [("x-a*,x-b*,x-c,x-d", "x-c,x-d,x-a*,x-b*"), ("x-a*,x-b", "x-b,x-a*"),
                                ("x-b,x-a", "x-b,x-a"), ("*,x-a", "x-a,*")]))
def prefixes_last(s: Session, given, written):
    prepare(s)
    put(s, document(cors(rule(allowed=given, exposed=given)))).is_(202)
    read_back(s, {"Cors": cors(rule(allowed=written, exposed=written))})


@setting("A rule has no {which} headers", CORS, product(which=["allowed", "exposed", "allowed and exposed"]))
def empty_lists(s: Session, which):
    prepare(s)
    rules = cors(rule(**{field: "" for field in which.split(" and ")}))
    put(s, document(rules)).is_(202)
    read_back(s, {"Cors": rules})


@setting("Rules are removed by an empty Cors", inferred("An empty list of rules replaces the rules."))
def no_rules(s: Session):
    prepare(s)
    put(s, document("<Cors />")).is_(202)
    read_back(s, {"Cors": "<Cors />"})


@setting("Five rules stay in their order",
         doc(PAGE, "You can include up to five CorsRule elements in the request."))
def five_rules(s: Session):
    prepare(s)
    rules = cors(*(rule(age=age) for age in (5, 3, 1, 4, 2)))
    put(s, document(rules)).is_(202)
    read_back(s, {"Cors": rules})


METHODS = doc(PAGE, "Permitted methods are DELETE, GET, HEAD, MERGE, POST, OPTIONS, and PUT.")


@setting("A rule may allow {method}", METHODS,
         product(method=["DELETE", "GET", "HEAD", "MERGE", "POST", "OPTIONS", "PUT", "GET,MERGE,PUT"]))
def methods(s: Session, method):
    prepare(s)
    put(s, document(cors(rule(method)))).is_(202)
    read_back(s, {"Cors": cors(rule(method))})


# --- limits of rules ------------------------------------------------------------------------------

LIMITS_PAGE = ("learn.microsoft.com/rest/api/storageservices/"
               "cross-origin-resource-sharing--cors--support-for-the-azure-storage-services")
LITERALS = doc(LIMITS_PAGE, "A maximum of 64 literal headers may be specified on the request.")
PREFIXES = doc(LIMITS_PAGE, "A maximum of two prefixed headers may be specified on the request.")
LENGTH = doc(LIMITS_PAGE, "The length of an allowed header, exposed header, or allowed origin should not "
                          "exceed 256 characters.")


def names(count: int, end: str = "") -> str:
    return ",".join(f"h{number}{end}" for number in range(count))


def origins(count: int) -> str:
    return ",".join(f"http://{number}" for number in range(count))


# The largest that is taken, and the smallest that is not.
LISTS = {"origins": ("origins", origins(64), origins(65), inferred("64 origins are the limit of a rule.")),
         "literal allowed headers": ("allowed", names(64), names(65), LITERALS),
         "literal exposed headers": ("exposed", names(64), names(65), LITERALS),
         "prefixed allowed headers": ("allowed", names(2, "*"), names(3, "*"), PREFIXES),
         "prefixed exposed headers": ("exposed", names(2, "*"), names(3, "*"), PREFIXES),
         "characters of an origin": ("origins", "o" * 256, "o" * 257, LENGTH),
         "characters of an allowed header": ("allowed", "h" * 256, "h" * 257, LENGTH)}


@setting("A rule has as many {what} as it may", lambda what: what[3], product(what=LISTS))
def full_lists(s: Session, what):
    field, text = what[:2]
    prepare(s)
    put(s, document(cors(rule(**{field: text})))).is_(202)
    read_back(s, {"Cors": cors(rule(**{field: text}))})


@setting("A rule has one too many {what}", lambda what: what[3], product(what=LISTS))
def too_long_lists(s: Session, what):
    field, text = what[0], what[2]
    prepare(s)
    put(s, document(cors(rule(**{field: text})))).fails(INVALID_XML_NODE_VALUE)
    read_back(s, {})


@setting("A rule may not allow the method {method}", METHODS, product(method=["FETCH", "GET,FETCH"]))
def unknown_method(s: Session, method):
    prepare(s)
    put(s, document(cors(rule(method)))).fails(INVALID_XML_NODE_VALUE)
    read_back(s, {})


# --- bad documents --------------------------------------------------------------------------------


def without(text: str, element: str) -> str:
    return re.sub(rf"<{element}>.*?</{element}>", "", text, count=1)


REQUIRED = [(section, element) for section, elements in (
    ("Logging", ["Version", "Read", "Write", "Delete", "RetentionPolicy", "Days"]),
    ("HourMetrics", ["Version", "Enabled", "IncludeAPIs", "RetentionPolicy", "Days"]),
    ("Cors", ["AllowedMethods", "AllowedOrigins", "AllowedHeaders", "ExposedHeaders", "MaxAgeInSeconds"]))
    for element in elements]


@setting("{section} needs {element}",
         doc(PAGE, "Required if Logging, Metrics, HourMetrics, or MinuteMetrics settings are specified."),
         rows("section element", REQUIRED))
def missing(s: Session, section, element):
    prepare(s)
    put(s, document(without(NOW[section], element))).fails(INVALID_XML_DOCUMENT)
    read_back(s, {})


SYNTAX = doc("learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes",
             "InvalidXmlDocument: The specified XML is not syntactically valid.")
NO_CHILD = inferred("A document that sets nothing is no valid one.")
BAD = {"no child": ("<StorageServiceProperties/>", NO_CHILD), "no child, two tags": (document(), NO_CHILD),
       "no child, blanks": (document(" \n "), NO_CHILD),
       "six rules": (document(cors(*(rule(age=age) for age in range(6)))),
                     rec("python-assets/test_table_service_properties.too_many_cors_rules@8a03a54")),
       "DefaultServiceVersion": (document("<DefaultServiceVersion>2019-02-02</DefaultServiceVersion>"),
                                 inferred("Tables have no default version; libraries expect a refusal.")),
       "an unknown section": (document(NOW["Logging"], "<Other />"), SYNTAX),
       "an unknown element of Logging":
           (document(NOW["Logging"].replace("</L", "<Other>1</Other></L")), SYNTAX),
       "an unknown element of a rule":
           (document(NOW["Cors"].replace("</CorsR", "<Other>1</Other></CorsR")), SYNTAX),
       "another root": (f"<Properties>{NOW['Logging']}</Properties>", SYNTAX),
       "an open element": (document(NOW["Logging"])[:-5], SYNTAX),
       "crossed tags": (document(NOW["Logging"]).replace("</Read><Write>", "<Write></Read>"), SYNTAX),
       "no XML": ("Logging", SYNTAX)}


@setting("A document is refused: {what}", lambda what: what[1], product(what=BAD))
def bad(s: Session, what):
    prepare(s)
    put(s, what[0]).fails(INVALID_XML_DOCUMENT)
    read_back(s, {})


# --- headers and URLs -----------------------------------------------------------------------------


@setting("The properties are set with Accept {accept}",
         lambda accept: rec("cpp/ServiceClientSet-key") if accept is None
         else rec("python-2020/test_table_service_properties.test_set_logging"),
         product(accept={"*/*": "*/*", "none": None}))
def accepts(s: Session, accept):
    prepare(s)
    put(s, document(OTHER["Logging"]), accept=accept).is_(202)
    read_back(s, {"Logging": OTHER["Logging"]})


IN_PATH = rec("python-assets/test_table_service_properties.test_client_with_url_ends_with_table_name@8a03a54")


@check("{method} of the properties of a table is refused", IN_PATH, product(method=["GET", "PUT"]),
       requests=1)
def behind_a_table(s: Session, method):
    body = document(OTHER["Logging"]) if method == "PUT" else None
    answer = s.send(method, f"/{s.table}{PROPERTIES}", body, content_type=XML)
    answer.fails(INVALID_QUERY_PARAMETER, without=["x-ms-version"])


@check("The query {query} is refused",
       doc("learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes",
           "An invalid value was specified for one of the query parameters in the request URI."),
       product(query=["restype=service&comp=nothing", "restype=container&comp=properties",
                      "restype=table&comp=stats"]), requests=1)
def bad_parameters(s: Session, query):
    answer = s.get("/", query=query, accept=XML)
    answer.fails(INVALID_QUERY_PARAMETER, headers=as_sent(answer.answer))


# --- statistics -----------------------------------------------------------------------------------

DATE = r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"
STATISTICS = re.compile(
    r"\ufeff<\?xml version=\"1\.0\" encoding=\"utf-8\"\?><StorageServiceStats><GeoReplication>"
    rf"<Status>(live</Status><LastSyncTime>{DATE}|(unavailable|bootstrap)</Status><LastSyncTime>)"
    r"</LastSyncTime></GeoReplication></StorageServiceStats>")


@check("Statistics are got from the secondary endpoint, Accept {accept}, {query}",
       rec("go/TestGetStatistics"),
       product(accept={XML: XML, "none": None},
               query=["restype=service&comp=stats", "comp=stats&restype=service"]),
       needs=["secondary"], requests=1)
def statistics(s: Session, accept, query):
    answer = s.get("/", query=query, accept=accept, secondary=True).is_(200, UNJUDGED).answer
    good = STATISTICS.fullmatch(answer.text) is not None
    s.holds("the document has the status and the time", good, answer.text)


@check("Statistics are refused at the primary endpoint",
       rec("go-2021/TestServiceClient_Storage/TestGetStatistics"), requests=1)
def at_primary(s: Session):
    answer = s.get(STATS)
    answer.fails(INVALID_QUERY_PARAMETER)
    s.holds("the reason phrase is the message", answer.answer.reason == INVALID_QUERY_PARAMETER.message,
            answer.answer.reason)
