"""What an agent is told about reaching a database."""

from __future__ import annotations

from urllib.parse import urlsplit

_NOTE = """\
## Access to the ERP

The ERP answers at {url} as Odoo 19 does: `POST /json/2/<model>/<method>`, database `{database}`, API key {where}.
With the package `odoo-client-lib`:

```python
{imports}

connection = odoolib.get_connection(
    hostname={host!r}, protocol="json2", port={port}, database={database!r}, password={password}
)
partners = connection.get_model("res.partner")
for partner in partners.search_read(domain=[("customer_rank", ">", 0)], fields=["name", "ref"], limit=3):
    print(partner["ref"], partner["name"])
```

- Every argument is given by name; `ids` are the records to act on.
- `fields_get` describes a model, and `ir.model` lists them all. Common ones: `res.partner`, `product.product`,
  `product.supplierinfo`, `sale.order`, `purchase.order`, `mrp.production`, `mrp.workorder`, `account.move`.
- A refused call changes nothing; its answer says why.
- {ending}
"""

_ENDING = "There is no submit here: the books are judged as you leave them."


def access_note(url: str, database: str, *, key: str = "", key_file: str = "", ending: str = _ENDING) -> str:
    """How to reach a database, as Markdown to be put below a brief; its Python snippet runs as it stands.

    Args:
        url: The agent's port, as the agent sees it.
        database: Name of the database.
        key: The agent's key, to be written into the note; or
        key_file: file from which the agent reads it.
        ending: How the work ends, a sentence.
    """
    place = urlsplit(url)
    where = f"in `{key_file}`" if key_file else f"`{key}`"
    password = f"Path({key_file!r}).read_text().strip()" if key_file else repr(key)
    imports = "from pathlib import Path\n\nimport odoolib" if key_file else "import odoolib"
    return _NOTE.format(
        url=url,
        database=database,
        where=where,
        imports=imports,
        password=password,
        host=place.hostname or "127.0.0.1",
        port=place.port or 80,
        ending=ending,
    )
