"""Phrases of the brief: every sentence in several wordings, by key.  Fields in braces are filled by the brief.

Wordings of one key say the same; which one a task uses follows from its ``phrasing`` number.  Fields that count things
hold number and noun (:func:`counted`), and no verb hangs on them.
"""

from __future__ import annotations


def counted(number: float, noun: str) -> str:
    """A number with its noun, in the plural unless the number is one.

    >>> counted(1, "unit"), counted(0, "unit"), counted(1.5, "minute")
    ('1 unit', '0 units', '1.5 minutes')
    """
    return f"{number:.12g} {noun if number == 1 else noun + 's'}"


PHRASES: dict[str, tuple[str, ...]] = {
    # Opening and requests.
    "opening_firm": (
        "You plan supply for {company}. Today is {today}. The customer orders below for {product} are firm: serve "
        "every one of them.",
        "Today is {today}. At {company} you are the planner in charge of {product}, and all orders listed here have "
        "been promised.",
        "As operations planner of {company}, please book everything that it takes to deliver these {product} orders. "
        "Today is {today}.",
    ),
    "opening_screened": (
        "You plan supply for {company}. Today is {today}. Review the open requests for {product} below, "
        "accept those that meet the acceptance rules, and serve them.",
        "Today is {today}. At {company} you decide which of these requests for {product} are taken on, and you book "
        "what is taken on.",
        "As operations planner of {company}, go through the requests for {product} below: "
        "keep what the rules allow, turn down the rest. Today is {today}.",
    ),
    "opening_repair": (
        "You plan supply for {company}. Today is {today}. The plan for {product} was booked already, and then "
        "something broke: repair it.",
        "Today is {today}. At {company} the booked supply of {product} no longer holds. Bring the plan back to where "
        "every order is met.",
        "As operations planner of {company}, mend the booked plan for {product}. Today is {today}.",
    ),
    "order": (
        "{customer}: {units}, due {due}{budget}{known}",
        "{customer} wants {units} by {due}{budget}{known}",
        "{units} for {customer}, to be delivered by {due}{budget}{known}",
    ),
    "order_of": (
        "{customer}: {units} of {product}, due {due}{budget}{known}",
        "{customer} wants {units} of {product} by {due}{budget}{known}",
        "{units} of {product} for {customer}, to be delivered by {due}{budget}{known}",
    ),
    "budget": (", pretax budget ${amount}", ", can spend up to ${amount} before tax", ", budget of ${amount} before tax"),
    "known": (" (in the ERP as {state}, customer reference {ref})", " (already booked as {state} under {ref})"),
    "maybe_known": (
        "Some of these requests may stand in the ERP already; use what is there, never book one twice.",
        "Look first which of them are in the ERP: those are to be used, not entered again.",
    ),
    "not_known": (
        "None of these orders is in the ERP yet; create one sales order per customer.",
        "You have to enter these orders yourself, one sales order for each customer.",
    ),
    "stock": (
        "We have {stock} of {product} ({code}) in stock.",
        "Stock on hand of {product} ({code}): {stock}.",
        "The warehouse holds {stock} of {product}, product code {code}.",
    ),
    "routes_buy": (
        "What stock does not cover has to be bought; there is no production of this product.",
        "New units can only be purchased.",
    ),
    "routes_both": (
        "New units can be bought, made in house, or both.",
        "Further units may come from vendors or from our own production, in any mix.",
    ),
    "routes_make_policy_forbidden": (
        "New units must be made in house: management has put finished-goods purchases on hold. Vendors may supply "
        "components only.",
        "Buying finished units is not permitted until further notice, so make them; purchase orders are for components only.",
    ),
    "routes_make_no_buy_route": (
        "New units must be made in house: this product has no purchasing route. Vendors supply components only.",
        "The product is manufactured only. Purchase orders are for its components.",
    ),
    "routes_make_no_available_vendors": (
        "New units must be made in house: no vendor offers the finished product. Vendors supply components only.",
        "Nobody sells this product, so it has to be made; purchase orders are for its components.",
    ),
    "routes_mixed_buy": (
        "What stock does not cover has to be bought; there is no production of these products.",
        "New units can only be purchased.",
    ),
    "routes_mixed_both": (
        "New units of each product can be bought, made in house, or both; the products share work centers and components.",
        "Further units of any product may come from vendors or from our own production, in any mix. Work centers and "
        "components are common to them.",
    ),
    "routes_mixed_make_policy_forbidden": (
        "New units must be made in house: management has put finished-goods purchases on hold. Vendors may supply "
        "components only.",
        "Buying finished units is not permitted until further notice, so make them; purchase orders are for components only.",
    ),
    "routes_mixed_make_no_buy_route": (
        "New units must be made in house: these products have no purchasing route. Vendors supply components only.",
        "The products are manufactured only. Purchase orders are for their components.",
    ),
    "routes_mixed_make_no_available_vendors": (
        "New units must be made in house: no vendor offers the finished products. Vendors supply components only.",
        "Nobody sells these products, so they have to be made; purchase orders are for their components.",
    ),
    # Acceptance.
    "accept": (
        "Accept a request only if it meets every acceptance rule:",
        "A request is taken on only when all of the following hold:",
    ),
    "accept_budget": (
        "its budget covers list price times quantity;",
        "list price times quantity is within the customer's budget;",
    ),
    "accept_min_qty": ("it is for at least {least};", "its quantity is {least} or more;"),
    "accept_max_qty": ("it is for at most {most};", "its quantity is {most} or fewer;"),
    "accept_min_lead": (
        "it is due on {day} ({days} from today) or later;",
        "it leaves at least {days} of lead time, so it is due no earlier than {day};",
    ),
    "accept_rest": (
        "Turn down all others: cancel their sales orders where they exist, and create none where they do not.",
        "Everything else is rejected. Cancel a rejected request that is in the ERP; leave out one that is not.",
    ),
    # Goal.
    "goal_constraint_only": (
        "Any plan that keeps all rules is fine; cost matters only through the margin rule.",
        "Find a plan that keeps every rule. No further goal is set.",
    ),
    "goal_min_new_spend": (
        "Among all plans that keep the rules, choose the one with the least new spend.",
        "Spend as little new money as possible.",
        "Keep new spend to the minimum that the rules allow.",
    ),
    "goal_vendor_consolidation": (
        "Deal with as few vendors as possible; between equal plans, prefer the one with less new spend.",
        "The number of vendors that we buy from is to be minimal; new spend decides ties.",
    ),
    "goal_capacity_preservation": (
        "Keep work centers free: schedule as few production minutes as possible; between equal plans, prefer less new spend.",
        "Use the least possible work-center time; new spend decides ties.",
    ),
    "goal_repair_plan": (
        "Change the booked plan as little as possible; between equal repairs, prefer the one with less new spend.",
        "Stay as near to the booked quantities as you can; new spend decides ties.",
    ),
    "spend": (
        "New spend is the sum of quantity times price over all confirmed purchase orders (components too, and what is "
        "bought in excess), "
        "plus quantity times the work center's cost per unit over all manufacturing orders. Stock on hand costs nothing.",
        "Counted as new spend: every confirmed purchase order at its offer's price, surplus and components included, and every "
        "manufacturing order at its work center's cost per unit. Using stock is free.",
    ),
    # Margin.
    "margin": (
        "New spend must leave a margin of at least {margin} % on the list price of the units newly bought or made "
        "(counted up to total demand), taken over all orders together.",
        "Over the whole portfolio, (list price x new units - new spend) / (list price x new units) must be at least {margin} %; "
        "new units are those bought or made, at most the total demand.",
    ),
    "margin_mixed": (
        "New spend must leave a margin of at least {margin} % on the list price of the units newly bought or made "
        "(of each product at most its total demand), taken over all products and orders together.",
        "Over the whole portfolio, (sum of list price x new units - new spend) / (sum of list price x new units) must be at "
        "least {margin} %; new units of a product are those bought or made, at most its total demand.",
    ),
    # Invoicing.
    "invoice": (
        "Create and post exactly one regular customer invoice for every {orders}, from the sales order.",
        "Every {orders} gets one regular invoice, created from its sales order and posted.",
    ),
    "invoice_term": (
        "The payment term is {term}, on the sales order and on its invoices. Invoices carry no tax.",
        "Set payment term {term} on sales orders and invoices; no tax is charged.",
    ),
    "invoice_percentage": (
        "An order whose untaxed total reaches ${threshold} first gets a posted down payment invoice of {value} % of that total; "
        "the regular invoice then bills the rest.",
        "From an untaxed order total of ${threshold} on, post a {value} % down payment invoice before the regular "
        "invoice for the remainder.",
    ),
    "invoice_fixed": (
        "An order whose untaxed total reaches ${threshold} first gets a posted down payment invoice of ${value}; "
        "the regular invoice then bills the rest.",
        "From an untaxed order total of ${threshold} on, post a down payment invoice of ${value} before the regular "
        "invoice for the remainder.",
    ),
    "invoice_not": (
        "Never invoice a rejected request.",
        "Rejected requests are not invoiced.",
    ),
    "no_invoice": (
        "No invoices are wanted.",
        "Do not create invoices.",
    ),
    # Disruption.
    "broken_supplier": (
        "{vendor} has cancelled its purchase order{plural} for {product} and can no longer deliver it.",
        "The vendor {vendor} backed out of its {product} purchase order{plural}; this offer is gone.",
    ),
    "broken_center": (
        "Work center {center} ({code}) is out of order for the whole horizon; nothing may be made there.",
        "We lost work center {center} ({code}): it cannot be used any more for this plan.",
    ),
    "impacted": ("Affected: {customers}.", "This hits the orders of {customers}."),
    "repair_cancel": (
        "Cancel the documents that were hit and put others in their place. Keep the sales orders as they are, and keep "
        "every purchase "
        "and manufacturing order that still works: adjust it where needed instead of booking it again.",
        "Documents that no longer hold are cancelled and replaced. Sales orders stay; purchases and manufacturing "
        "orders that still hold "
        "stay too and are changed in place where the new plan needs it.",
    ),
    # Links, in one sentence.
    "links": (
        "In the source field of every purchase and manufacturing order, name the documents that it serves.",
        "Purchase and manufacturing orders must say in their source field which documents they are for.",
    ),
    "look_up": (
        "Offers, bills of materials, work centers and stock are in the ERP, and so is other business that you must leave alone.",
        "Find vendors, recipes, capacities and stock in the ERP. Leave records alone that have nothing to do with these orders.",
    ),
    "policies": (
        "Our rules on goals, margin, acceptance, invoicing, purchasing and production are in the company's policy "
        "documents in the ERP: "
        "list them, read them, follow them.",
        "How we buy, make, accept, invoice and set priorities is written down in the policy documents in the ERP. They "
        "are binding.",
    ),
    "closing": (
        "Decide on your own, do not ask back, and call submit when everything is booked.",
        "Nobody can answer questions; choose the plan that serves the goal best, book it, then call submit.",
        "Work on your own authority. When all documents are confirmed, call submit.",
    ),
}
