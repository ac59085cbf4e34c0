"""Invariants of an ERP's books: what holds in every world, whatever was booked, as queries that list violations."""

from __future__ import annotations

from opsgym.core.world import World

_CENT = 0.006  # dollars; amounts are rounded to cents line by line

_TOTALS = """
    SELECT d.id FROM {document} d LEFT JOIN {line} l ON l.{link} = d.id GROUP BY d.id
    HAVING ABS(d.amount_untaxed - TOTAL(l.price_subtotal)) > {cent} + 1e-9 * ABS(d.amount_untaxed)
        OR ABS(d.amount_total - d.amount_untaxed - d.amount_tax) > {cent} + 1e-9 * ABS(d.amount_total)
"""
_NUMBERS = """
    SELECT d.name FROM {document} d JOIN ir_sequence s ON s.code = '{code}'
    WHERE CAST(SUBSTR(d.name, {skip}) AS INTEGER) >= s.number_next
    UNION ALL SELECT name FROM {document} WHERE name IS NOT NULL GROUP BY name HAVING COUNT(*) > 1
"""
_PLANNED = "m.state IN ('waiting', 'confirmed', 'partially_available', 'assigned')"

INVARIANTS: dict[str, str] = {
    "the totals of a sales order are the sums of its lines": _TOTALS.format(
        document="sale_order", line="sale_order_line", link="order_id", cent=_CENT
    ),
    "the totals of a purchase order are the sums of its lines": _TOTALS.format(
        document="purchase_order", line="purchase_order_line", link="order_id", cent=_CENT
    ),
    "the totals of an invoice are the sums of its lines": _TOTALS.format(
        document="account_move", line="account_move_line", link="move_id", cent=_CENT
    ),
    "sales order numbers are unique and given out in order": _NUMBERS.format(document="sale_order", code="sale.order", skip=2),
    "purchase order numbers are unique and given out in order": _NUMBERS.format(
        document="purchase_order", code="purchase.order", skip=2
    ),
    "manufacturing order numbers are unique and given out in order": _NUMBERS.format(
        document="mrp_production", code="mrp.production", skip=7
    ),
    "a posted invoice has a number of its own": """
        SELECT id FROM account_move WHERE state = 'posted' AND name IS NULL
        UNION ALL SELECT MAX(id) FROM account_move WHERE name IS NOT NULL GROUP BY name HAVING COUNT(*) > 1
    """,
    "no stock move has a negative quantity": "SELECT id FROM stock_move WHERE product_uom_qty < 0",
    "a cancelled sales order has no planned moves": f"""
        SELECT m.id FROM stock_move m JOIN sale_order_line l ON l.id = m.sale_line_id JOIN sale_order o ON o.id = l.order_id
        WHERE o.state = 'cancel' AND {_PLANNED}
    """,
    "a cancelled purchase order has no planned moves": f"""
        SELECT m.id FROM stock_move m JOIN purchase_order_line l ON l.id = m.purchase_line_id
        JOIN purchase_order o ON o.id = l.order_id WHERE o.state = 'cancel' AND {_PLANNED}
    """,
    "a closed manufacturing order has no planned moves": f"""
        SELECT m.id FROM stock_move m JOIN mrp_production o ON o.id = m.raw_material_production_id
        WHERE o.state IN ('done', 'cancel') AND {_PLANNED}
    """,
}
"""Queries by the sentence that holds when they list nothing."""


def violations(world: World) -> list[str]:
    """Sentences of :data:`INVARIANTS` that do not hold, each with the records that break it."""
    found = []
    for sentence, query in INVARIANTS.items():
        rows = [row[0] for row in world.execute(query).fetchall()]
        if rows:
            found.append(f"broken: {sentence} ({', '.join(map(str, rows[:5]))})")
    return found
