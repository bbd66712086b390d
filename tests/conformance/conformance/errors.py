"""The refusals of the service: status, code, message, and whether the error is early.

An early error is found before the operation itself is looked at. It has neither Cache-Control nor
Preference-Applied.
The front end refuses in a form of its own: no headers of the table layer, but x-ms-error-code.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Union

from conformance.values import Placeholder


@dataclass(frozen=True)
class Refusal:
    status: int
    code: str
    message: Union[str, Placeholder]  # a Placeholder where the whole sentence is not known
    early: bool = False
    front_end: bool = False
    version: bool = True  # False: the answer has no x-ms-version

    def saying(self, message: Union[str, Placeholder]) -> Refusal:
        return replace(self, message=message)

    def from_front_end(self) -> Refusal:
        return replace(self, front_end=True)

    def as_early(self) -> Refusal:
        return replace(self, early=True)

    def as_late(self) -> Refusal:
        return replace(self, early=False)

    def __str__(self) -> str:
        return f"{self.status} {self.code}"


# --- found while the operation is carried out: with Cache-Control ---------------------------------

TABLE_ALREADY_EXISTS = Refusal(409, "TableAlreadyExists", "The table specified already exists.")
ENTITY_ALREADY_EXISTS = Refusal(409, "EntityAlreadyExists", "The specified entity already exists.")
RESOURCE_NOT_FOUND = Refusal(404, "ResourceNotFound", "The specified resource does not exist.")
UPDATE_CONDITION_NOT_SATISFIED = Refusal(
    412, "UpdateConditionNotSatisfied", "The update condition specified in the request was not satisfied.")
PROPERTIES_NEED_VALUE = Refusal(
    400, "PropertiesNeedValue", "The values are not specified for all properties in the entity.")
TOO_MANY_PROPERTIES = Refusal(
    400, "TooManyProperties",
    "The entity contains more properties than allowed. Each entity can include up to 252 "
    "properties to store data. Each entity also has 3 system properties.")
PROPERTY_NAME_TOO_LONG = Refusal(
    400, "PropertyNameTooLong", "The property name exceeds the maximum allowed length (255).")
PROPERTY_VALUE_TOO_LARGE = Refusal(
    400, "PropertyValueTooLarge",
    "The property value exceeds the maximum allowed size (64KB). If the property value "
    "is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.")
ENTITY_TOO_LARGE = Refusal(400, "EntityTooLarge", "The entity is larger than the maximum allowed size (1MB).")
AUTHORIZATION_FAILURE = Refusal(
    403, "AuthorizationFailure", "This request is not authorized to perform this operation.")
PERMISSION_MISMATCH = Refusal(
    403, "AuthorizationPermissionMismatch",
    "This request is not authorized to perform this operation using this permission.")
RESOURCE_TYPE_MISMATCH = Refusal(
    403, "AuthorizationResourceTypeMismatch",
    "This request is not authorized to perform this operation using this resource type.")
# Of names in the body of POST /Tables; `.as_early()` for names in URLs and batches.
INVALID_RESOURCE_NAME = Refusal(
    400, "InvalidResourceName",
    "The specifed resource name contains invalid characters.")  # the service's spelling
NAME_LENGTH = Refusal(
    400, "OutOfRangeInput", "The specified resource name length is not within the permissible limits.")

# --- early: without Cache-Control and Preference-Applied ------------------------------------------

TABLE_NOT_FOUND = Refusal(404, "TableNotFound", "The table specified does not exist.", early=True)
INVALID_INPUT = Refusal(400, "InvalidInput", "One of the request inputs is not valid.", early=True)
UNREADABLE_BODY = INVALID_INPUT.saying("An error occurred while processing this request.")
QUERY_SYNTAX = INVALID_INPUT.saying("Bad Request - Error in query syntax.")
OUT_OF_RANGE_INPUT = Refusal(400, "OutOfRangeInput", "One of the request inputs is out of range.", early=True)
PROPERTY_NAME_INVALID = Refusal(400, "PropertyNameInvalid", "The property name is invalid.", early=True)
DUPLICATE_PROPERTIES = Refusal(
    400, "DuplicatePropertiesSpecified", "A property is specified more than one time.", early=True)
CONDITION_NOT_MET = Refusal(
    412, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met.",
    early=True)
MEDIA_TYPE_NOT_SUPPORTED = Refusal(
    415, "MediaTypeNotSupported", "None of the provided media types are supported", early=True)
ATOM_NOT_SUPPORTED = Refusal(415, "AtomFormatNotSupported", "Atom format is not supported.", early=True)
BODY_TOO_LARGE = Refusal(
    413, "RequestBodyTooLarge", "The request body is too large and exceeds the maximum permissible limit.",
    early=True)


def not_an_etag(value: str) -> Refusal:
    return INVALID_INPUT.saying(f"The etag value '{value}' specified in one of the request headers is not "
                                "valid. Please make sure only one etag value is specified and is valid.")


def key_count(account: str, table: str) -> Refusal:
    return INVALID_INPUT.saying("The number of keys specified in the URI does not match number of key "
                                f"properties for the resource '{account}.{table}'.")


# --- for the whole service ------------------------------------------------------------------------

NOT_IMPLEMENTED = Refusal(501, "NotImplemented",
                          "The requested operation is not implemented on the specified resource.")
METHOD_NOT_ALLOWED = Refusal(
    405, "MethodNotAllowed", "The requested method is not allowed on the specified resource.", early=True)
INVALID_HEADER_VALUE = Refusal(
    400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format.")
X_METHOD_COUNT = Refusal(400, "XMethodIncorrectCount", "More than one X-HTTP-Method is specified.")
X_METHOD_VALUE = Refusal(400, "XMethodIncorrectValue", "The specified X-HTTP-Method is invalid.")
X_METHOD_WITHOUT_POST = Refusal(
    400, "XMethodNotUsingPost", "The request uses X-HTTP-Method with an HTTP verb other than POST.")

# --- the front end --------------------------------------------------------------------------------

AUTHENTICATION_FAILED = Refusal(
    403, "AuthenticationFailed",
    "Server failed to authenticate the request. Make sure the value of Authorization "
    "header is formed correctly including the signature.", front_end=True, version=False)
NO_AUTHENTICATION = Refusal(
    401, "NoAuthenticationInformation",
    "Server failed to authenticate the request. Please refer to the information "
    "in the www-authenticate header.", front_end=True)
INVALID_AUTHENTICATION_INFO = Refusal(
    400, "InvalidAuthenticationInfo",
    "Authentication information is not given in the correct format. Check the value of Authorization header.",
    front_end=True)
SERVICE_MISMATCH = Refusal(
    403, "AuthorizationServiceMismatch",
    "This request is not authorized to perform this operation using this service.", front_end=True)
PROTOCOL_MISMATCH = Refusal(
    403, "AuthorizationProtocolMismatch",
    "This request is not authorized to perform this operation using this protocol.", front_end=True)
INVALID_XML_DOCUMENT = Refusal(
    400, "InvalidXmlDocument", "XML specified is not syntactically valid.", front_end=True)
INVALID_XML_NODE_VALUE = Refusal(
    400, "InvalidXmlNodeValue", "The value for one of the XML nodes is not in the correct format.",
    front_end=True)
INVALID_QUERY_PARAMETER = Refusal(
    400, "InvalidQueryParameterValue",
    "Value for one of the query parameters specified in the request URI is "
    "invalid.", front_end=True)
CORS_PREFLIGHT_FAILURE = Refusal(
    403, "CorsPreflightFailure", "CORS not enabled or no matching rule found for this request.",
    front_end=True)
