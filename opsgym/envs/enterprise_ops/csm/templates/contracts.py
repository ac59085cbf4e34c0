"""Tasks on contracts, entitlements, devices and new accounts."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_ops.csm import nouns, words
from opsgym.envs.enterprise_ops.csm.templates import phrases
from opsgym.envs.enterprise_ops.csm.templates.common import (
    OPEN,
    contact_user,
    find_asset,
    in_force,
    told_asset,
)
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import Unfit, heed, template
from opsgym.envs.enterprise_ops.words import FIRST, LAST

_DAY = dt.timedelta(days=1)
_RETIRED = "SELECT * FROM product WHERE lifecycle_state = 'retired' ORDER BY product_id"


@template("csm", roles=("admin",), rules=("CSM-ENT-HOURS",), traps=("similar_name",), blocked=("policy_conflict",))
def renew_support(draft: Draft) -> None:
    """Give accounts a support contract and an entitlement for a product, where none is in force yet."""
    chosen = _uncovered(draft, draft.horizon)
    covered = _covered(draft) if draft.horizon > 1 else None
    blocked = draft.pick(*chosen) if draft.is_infeasible else None
    if blocked is not None:
        retired = draft.one(_RETIRED)
        blocked |= {"product_id": retired["product_id"], "product": retired["name"]}
    if draft.wants_trap("similar_name"):
        _plus(draft, chosen[0]["product_id"])
    level, limit = draft.pick("enterprise", "enterprise", "premium", "standard"), draft.pick(0, 10, 20)
    start = draft.company.today - draft.draw.randrange(0, 20) * _DAY
    end = start.replace(year=start.year + draft.draw.randrange(1, 3), day=min(start.day, 28))
    price = draft.draw.randrange(20, 200) * 50
    names = [
        f"{row['account']} for {row['product']}"
        for row in draft.draw.sample([*chosen, *([covered] if covered else [])], len(chosen) + bool(covered))
    ]
    draft.ask(
        f"Check the support of {draft.listed(names)}. Where no entitlement is in force, make a support contract for {price}"
        f" that runs from {draft.date(start)} to {draft.date(end)}, and an active entitlement for the product under it.",
        f"{draft.listed(names)}: whoever is not entitled to support today gets an active support contract for {price}, valid"
        f" from {draft.date(start)} until {draft.date(end)}, and under it an active entitlement for the product.",
    )
    most = "without a monthly limit" if limit == 0 else f"for at most {limit} cases a month"
    hours = "" if level == "enterprise" else f", {draft.pick(*phrases.HOURS[_HOURS[level]])}"
    draft.ask(f"It is to be {draft.pick(*phrases.LEVEL[level])}{hours}, {most}.")
    if blocked is not None:
        draft.block("policy_conflict", why=f"The product {blocked['product']} is retired (CSM-ENT-PRODUCT).")
    for row in [*chosen, *([covered] if covered else [])]:
        draft.look("find_account", name=row["account"])
        draft.look("find_product", name=row["product"])
        draft.look("find_entitlements", account_id=row["account_id"], active=True)
        draft.look("find_contracts", account_id=row["account_id"])
    for row in chosen:
        contract = draft.do(
            "enlist_new_contract",
            account_id=row["account_id"],
            contract_type="support",
            status="active",
            contract_price=price,
            start_date=start.isoformat(),
            end_date=end.isoformat(),
        )
        hours_kept = heed("CSM-ENT-HOURS", "It covers all hours, 24x7.", coverage_hours="h24x7")
        draft.do(
            "add_new_entitlement",
            *([hours_kept] if level == "enterprise" else []),
            account_id=row["account_id"],
            product_id=row["product_id"],
            contract_id=contract["contract_id"],
            support_level=level,
            max_cases_per_month=limit,
            active=True,
            **({} if level == "enterprise" else {"coverage_hours": _HOURS[level]}),
        )


_HOURS = {"standard": "h8x5", "premium": "h12x6"}
_HELD = (
    "SELECT DISTINCT i.account_id, i.product_id, a.name AS account, p.name AS product FROM installed_product i"
    " JOIN account a USING (account_id) JOIN product p USING (product_id) WHERE p.lifecycle_state = 'active' AND a.active AND {} "
    "ORDER BY i.account_id, i.product_id"
)


def _uncovered(draft: Draft, count: int) -> list[Row]:
    """Accounts with a product for which no entitlement is in force."""
    rows = draft.rows(_HELD.format(f"NOT {in_force(draft, 'i')}"))
    first = {row["account_id"]: row for row in draft.draw.sample(rows, len(rows))}
    if len(first) < count:
        raise Unfit("too few accounts without an entitlement")
    return draft.draw.sample(list(first.values()), count)


def _covered(draft: Draft) -> Row:
    """An account with a product for which an entitlement is in force."""
    return draft.one(_HELD.format(in_force(draft, "i")))


def _plus(draft: Draft, product: int) -> None:
    """A product of nearly the same name."""
    row = draft.row("product", product)
    known = draft.value("SELECT product_id FROM product WHERE name = ?", f"{row['name']} Plus")
    twin = known or draft.add("product", name=f"{row['name']} Plus", category=row["category"], product_price=900)["product_id"]
    draft.trap("similar_name", product, twin)


@template("csm", roles=("admin",), traps=("similar_name",), blocked=("policy_conflict",))
def onboard_account(draft: Draft) -> None:
    """Set up a new account: its people, a site, and a device there."""
    name = _new_name(draft)
    domain = f"{name.lower().replace(' ', '')}.example"
    hardware = "SELECT * FROM product WHERE lifecycle_state = 'active' AND category = 'hardware' ORDER BY product_id"
    product = draft.one(_RETIRED if draft.is_infeasible else hardware)
    if draft.wants_trap("similar_name"):
        _plus(draft, product["product_id"])
    country = draft.pick(*words.COUNTRIES)
    city = words.CITY_OF[country]
    where = city.replace("_", " ").title()
    people = [(draft.pick(*FIRST), draft.pick(*LAST)) for _ in range(draft.horizon)]
    emails = [f"contact{number}@{domain}" for number, _ in enumerate(people, 1)]
    serial, site = f"NEW-{draft.draw.randrange(100000, 999999)}", f"{name} Headquarters"
    warranty = draft.company.today + draft.draw.randrange(300, 900) * _DAY
    kind = draft.pick("customer", "partner")
    listed = draft.listed([f"{first} {last} <{email}>" for (first, last), email in zip(people, emails, strict=True)])
    draft.ask(
        f"{name} joins us as a {kind}; its e-mail domain is {domain}. Set up the account with these people as contacts: {listed}."
        f"{' The first one is the primary contact.' if len(people) > 1 else ' That is the primary contact.'}",
        f"Please onboard our new {kind} {name} ({domain}). Its portal users and contacts are {listed}; the first named is the"
        " primary one.",
    )
    draft.ask(
        f"Their site {site} is in {where}; a {product['name']}, serial number {serial}, is in use there,"
        f" under warranty until {draft.date(warranty)}.",
        f"They use a {product['name']} with serial number {serial}, under warranty until {draft.date(warranty)}, at their new"
        f" site {site} in {where}.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"The product {product['name']} is retired (CSM-ASSET-PRODUCT).")
    draft.look("find_product", name=product["name"])
    account = draft.do("create_new_account", name=name, account_type=kind, email_domain=domain, active=True)["account_id"]
    for place, ((first, last), email) in enumerate(zip(people, emails, strict=True)):
        user = draft.do("add_new_user", first_name=first, last_name=last, email=email, role="customer", active=True)
        draft.do("create_contact", account_id=account, portal_user_id=user["user_id"], active=True, is_primary=place == 0)
    place_id = draft.do("add_location", name=site, active=True, city=city, country=country)["location_id"]
    draft.do(
        "register_new_installed_product",
        account_id=account,
        product_id=product["product_id"],
        serial_number=serial,
        status="in_use",
        location_id=place_id,
        warranty_end=warranty.isoformat(),
    )


def _new_name(draft: Draft) -> str:
    """A name that no account has."""
    name = f"{draft.pick(*nouns.SERIES)} {draft.pick('Dairies', 'Mills', 'Textiles', 'Ceramics', 'Orchards', 'Foundry')}"
    if draft.value("SELECT count(*) FROM account WHERE name = ?", name):
        raise Unfit(f"there is an account {name} already")
    return name


@template("csm", roles=("admin",), rules=("CSM-NOTE-TO",), traps=("stale_site",), blocked=("policy_conflict",))
def relocate_devices(draft: Draft) -> None:
    """Move devices to another site of their account, and tell all contacts on the case that is open on them."""
    chosen = _devices_with_case(draft)
    blocked = draft.pick(*range(len(chosen))) if draft.is_infeasible else None
    sites = [_annex(draft, asset) if place == blocked else _other_site(draft, asset) for place, asset in enumerate(chosen)]
    if blocked is not None:
        draft.change("location", sites[blocked]["location_id"], active=False)
    former = [_former_contact(draft, asset) for asset in chosen]
    for asset, site in zip(chosen, sites, strict=True):
        if draft.wants_trap("stale_site"):
            _former(draft, site)
        account = draft.row("account", asset["account_id"])["name"]
        draft.ask(
            f"{account} moved the {told_asset(draft, asset)} to {site['name']}. Record that, and send all its contacts an update"
            " on the open case about the device.",
            f"The {told_asset(draft, asset)} stands at {site['name']} now; please bring the records into line. Every"
            f" contact of {account} is to get an update on the device's open case.",
        )
    if blocked is not None:
        draft.block("policy_conflict", why=f"The location {sites[blocked]['name']} is not active (CSM-ASSET-SITE).")
    for asset, site, gone in zip(chosen, sites, former, strict=True):
        key = asset["installed_product_id"]
        find_asset(draft, asset)
        draft.look("find_location", name=site["name"])
        draft.do("update_installed_product_details", installed_product_id=key, location_id=site["location_id"])
        draft.look("search_cases", installed_product_id=key)
        told_not = "Contacts who are not active any longer get nothing."
        for contact in draft.look("find_contacts", account_id=asset["account_id"]):
            draft.look("list_users", user_id=contact["portal_user_id"])
            email = contact_user(draft, contact["contact_id"])["email"]
            if contact["contact_id"] == gone:
                draft.avoid("CSM-NOTE-TO", told_not, "send_notification", case_id=asset["case_id"], email=email, type="update")
                continue
            draft.do("send_notification", case_id=asset["case_id"], email=email, type="update")


def _devices_with_case(draft: Draft) -> list[Row]:
    """Devices with just one open case, each of another account."""
    rows = draft.rows(
        "SELECT i.*, min(c.case_id) AS case_id FROM installed_product i JOIN customer_case c USING (installed_product_id)"
        f" WHERE i.status = 'in_use' AND c.state IN {OPEN} GROUP BY i.installed_product_id HAVING count(*) = 1"
        " ORDER BY i.installed_product_id"
    )
    by_account = {row["account_id"]: row for row in draft.draw.sample(rows, len(rows))}
    if len(by_account) < draft.horizon:
        raise Unfit("too few devices with an open case")
    return draft.draw.sample(list(by_account.values()), draft.horizon)


def _other_site(draft: Draft, asset: Row) -> Row:
    """Another site of the account; sites bear its name."""
    account = draft.row("account", asset["account_id"])["name"]
    if draft.draw.random() < 0.4:
        return _annex(draft, asset)
    return draft.one(
        "SELECT * FROM location WHERE active AND location_id <> ? AND name LIKE ? || ' %' ORDER BY location_id",
        asset["location_id"],
        account,
    )


def _annex(draft: Draft, asset: Row) -> Row:
    """A further site of the account."""
    account, site = draft.row("account", asset["account_id"])["name"], draft.row("location", asset["location_id"])
    return draft.add("location", name=f"{account} Annex", city=site["city"], country=site["country"], active=True)


def _former_contact(draft: Draft, asset: Row) -> int:
    """A contact of the device's account who is not active any longer."""
    first, last = draft.pick(*FIRST), draft.pick(*LAST)
    domain = draft.row("account", asset["account_id"])["email_domain"]
    email = f"{first}.{last}.former@{domain}".lower().encode("ascii", "ignore").decode()
    user = draft.add("user", first_name=first, last_name=last, email=email, role="customer", active=False)
    contact = draft.add("contact", account_id=asset["account_id"], portal_user_id=user["user_id"], active=False, is_primary=False)
    return int(contact["contact_id"])


def _former(draft: Draft, site: Row) -> None:
    """A site of nearly the same name that is no longer active."""
    old = draft.add(
        "location",
        name=f"{site['name']} (former)",
        plot_no=site["plot_no"],
        city=site["city"],
        country=site["country"],
        active=False,
    )
    draft.trap("stale_site", site["location_id"], old["location_id"])


@template("csm", roles=("admin", "manager", "agent"), traps=("similar_name",), blocked=("no_permission",))
def list_ended_warranties(draft: Draft) -> None:
    """Tell the serial numbers of an account's devices in use whose warranty has ended by a day."""
    if draft.is_infeasible:
        customer = draft.one(
            "SELECT CAST(user_id AS TEXT) AS key FROM user u JOIN contact c ON c.portal_user_id = u.user_id"
            " WHERE u.active AND u.role = 'customer' ORDER BY user_id"
        )
        draft.act_as(customer["key"])
    own = draft.value("SELECT account_id FROM contact WHERE portal_user_id = ?", int(draft.actor.id))
    day = draft.company.today + draft.draw.randrange(-30, 200) * _DAY
    ended = "status = 'in_use' AND warranty_end <= ?"
    accounts = draft.some(
        "SELECT * FROM account a WHERE account_id IS NOT ? AND EXISTS (SELECT 1 FROM installed_product i"
        f" WHERE i.account_id = a.account_id AND {ended}) ORDER BY account_id",
        own,
        day.isoformat(),
        count=draft.horizon,
    )
    names = draft.listed([row["name"] for row in accounts])
    if draft.wants_trap("similar_name"):
        _branch(draft, accounts[0], day)
    draft.ask(
        f"Which devices in use at {names} are out of warranty on {draft.date(day)} (or went out of it that day)?"
        " I need their serial numbers, and no others.",
        f"Give me the serial numbers, and no others, of what is in use at {names} and whose warranty ends on {draft.date(day)}"
        " or before.",
    )
    if draft.is_infeasible:
        draft.block("no_permission", why="A customer sees nothing of other accounts (CSM-SEE-ASSET).")
    needles: list[str] = []
    others: list[str] = []
    for account in accounts:
        draft.look("get_accounts", name=account["name"])
        draft.look("retrieve_installed_products", account_id=account["account_id"])
        rows = draft.rows(
            "SELECT * FROM installed_product WHERE account_id = ? ORDER BY installed_product_id", account["account_id"]
        )
        for row in rows:
            is_ended = row["status"] == "in_use" and (row["warranty_end"] or "9") <= day.isoformat()
            (needles if is_ended else others).append(row["serial_number"])
    draft.answer(*needles, without=others)


def _branch(draft: Draft, account: Row, day: dt.date) -> None:
    """An account of nearly the same name, with a device out of warranty."""
    listed = ("account_type", "email_domain")
    branch = draft.add("account", name=f"{account['name']} Branch", **{name: account[name] for name in listed})
    right = draft.one(
        "SELECT * FROM installed_product WHERE account_id = ? AND status = 'in_use' AND warranty_end <= ?"
        " ORDER BY installed_product_id",
        account["account_id"],
        day.isoformat(),
    )
    wrong = draft.add(
        "installed_product",
        account_id=branch["account_id"],
        product_id=right["product_id"],
        location_id=right["location_id"],
        serial_number=f"ALT-{right['serial_number'][4:]}",
        status="in_use",
        warranty_end=right["warranty_end"],
    )
    draft.trap("similar_name", right["serial_number"], wrong["serial_number"])


TEMPLATES = (renew_support, onboard_account, relocate_devices, list_ended_warranties)
