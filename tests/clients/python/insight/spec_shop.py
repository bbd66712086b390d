"""The tests of the shop: `rocktable exec --budget rocktable.budget.json -- pytest spec_shop.py`. SHOP names the design."""
import os

import shop

LINES = 25


def test_the_lines_and_the_orders_of_a_customer():
    one = getattr(shop, os.environ["SHOP"].capitalize())()
    one.add_order("de-1", "Ada", LINES)
    assert [line["Amount"] for line in one.lines_of("de-1", LINES)] == list(range(LINES))
    assert one.orders_of("Ada") == ["de-1"]
