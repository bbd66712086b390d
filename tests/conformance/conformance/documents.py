"""The JSON documents of the service, at each metadata level, as values that an answer is compared with."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional
from urllib.parse import quote

from conformance.connection import Account
from conformance.values import ETAG, TIMESTAMP

Members = Mapping[str, Any]
ANNOTATION = "@odata.type"


def encoded_key(key: str) -> str:
    """Returns a key as the service writes it into URLs: quotes doubled, then percent-encoded."""
    return quote(key.replace("'", "''"), safe="'*!()~-_.")


def entity_path(table: str, partition: str, row: str) -> str:
    return f"{table}(PartitionKey='{encoded_key(partition)}',RowKey='{encoded_key(row)}')"


def typed(name: str, edm_type: str, value: Any) -> Dict[str, Any]:
    """Returns the members of an annotated property: typed("n", "Edm.Int64", "5")."""
    return {f"{name}{ANNOTATION}": edm_type, name: value}


def sorted_members(members: Members) -> Dict[str, Any]:
    """Returns the members in the order that any write but an insert leaves: by name."""
    names = sorted((name for name in members if not name.endswith(ANNOTATION)),
                   key=lambda name: name.encode("utf-16-be"))
    result: Dict[str, Any] = {}
    for name in names:
        for one in (f"{name}{ANNOTATION}", name):
            if one in members:
                result[one] = members[one]
    return result


def without_annotations(members: Members) -> Dict[str, Any]:
    return {name: value for name, value in members.items() if not name.endswith(ANNOTATION)}


class Documents:
    """Documents that the service of this account writes."""

    def __init__(self, account: Account) -> None:
        self.base, self.account = account.primary.base, account.name

    def context(self, level: str, suffix: str) -> Dict[str, Any]:
        return {} if level == "nometadata" else {"odata.metadata": f"{self.base}/$metadata#{suffix}"}

    def table_item(self, name: str, level: str) -> Dict[str, Any]:
        link = f"Tables('{name}')"
        full = {"odata.type": f"{self.account}.Tables", "odata.id": f"{self.base}/{link}",
                "odata.editLink": link}
        return {**(full if level == "fullmetadata" else {}), "TableName": name}

    def table(self, name: str, level: str = "minimalmetadata") -> Dict[str, Any]:
        return {**self.context(level, "Tables/@Element"), **self.table_item(name, level)}

    def tables(self, names: Iterable[str], level: str = "minimalmetadata") -> Dict[str, Any]:
        return {**self.context(level, "Tables"), "value": [self.table_item(name, level) for name in names]}

    def entity_item(self, table: str, partition: str, row: str, members: Members, level: str,
                    select: Optional[List[str]] = None, etag: Any = ETAG) -> Dict[str, Any]:
        """`members`: the properties with their annotations, in order. Those selected and missing are null."""
        link = entity_path(table, partition, row)
        item: Dict[str, Any] = {}
        if level == "fullmetadata":
            item.update({"odata.type": f"{self.account}.{table}", "odata.id": f"{self.base}/{link}"})
        if level != "nometadata":
            item["odata.etag"] = etag
        if level == "fullmetadata":
            item["odata.editLink"] = link
        system: Dict[str, Any] = {"PartitionKey": partition, "RowKey": row, "Timestamp": TIMESTAMP}
        shown = without_annotations(members) if level == "nometadata" else dict(members)
        if select is not None:
            system = {name: value for name, value in system.items() if name in select}
            shown = {name: value for name, value in shown.items() if name.replace(ANNOTATION, "") in select}
            shown.update({name: None for name in select if name not in shown and name not in
                          ("PartitionKey", "RowKey", "Timestamp", "*")})
        if level == "fullmetadata" and "Timestamp" in system:
            stamp = system.pop("Timestamp")
            system.update({"Timestamp@odata.type": "Edm.DateTime", "Timestamp": stamp})
        return {**item, **system, **shown}

    def entity(self, table: str, partition: str, row: str, members: Members, level: str = "minimalmetadata",
               select: Optional[List[str]] = None, context_suffix: str = "",
               etag: Any = ETAG) -> Dict[str, Any]:
        """The answer to an insert and to a GET of one entity."""
        context = self.context(level, f"{table}/@Element{context_suffix}")
        return {**context, **self.entity_item(table, partition, row, members, level, select, etag)}

    def entities(self, table: str, items: List[Dict[str, Any]], level: str = "minimalmetadata",
                 context_suffix: str = "") -> Dict[str, Any]:
        """The answer to a query. `items`: of `entity_item`."""
        return {**self.context(level, f"{table}{context_suffix}"), "value": items}
