"""Tools for locations, services, their offerings, and configuration items."""

from __future__ import annotations

from opsgym.core.records.tools import creating, getting, listing, updating
from opsgym.envs.enterprise_ops.itsm.tables.assets import CI, LOCATION, OFFERING, SERVICE

_OPERATION = "used_for status service_classification business_criticality"

TOOLS = (
    getting("get_location_by_id", "Read a location by key", LOCATION, "location_id"),
    getting("find_location_by_given_name", "Read a location by its exact name", LOCATION, "name"),
    listing(
        "find_locations",
        "List locations; all arguments given must match",
        LOCATION,
        "name city country active created_after created_before",
        defaults={"active": True},
    ),
    creating(
        "add_location",
        "Create a location",
        LOCATION,
        "name city country",
        "active plot_no street state",
        defaults={"active": True},
    ),
    updating(
        "update_location",
        "Change a location",
        LOCATION,
        "location_id",
        "name active plot_no street city state country",
        defaults={"active": True},
    ),
    getting("find_service_by_name", "Read a service by its exact name", SERVICE, "name"),
    listing(
        "find_services",
        "List services; all arguments given must match",
        SERVICE,
        f"service_id name owned_by {_OPERATION} created_after created_before",
    ),
    creating("add_new_service", "Create a service", SERVICE, "name owned_by", f"{_OPERATION} description"),
    updating("update_service", "Change a service", SERVICE, "service_id", f"name owned_by {_OPERATION} description"),
    getting("find_service_offering_by_name", "Read a service offering by its exact name", OFFERING, "name"),
    listing(
        "find_service_offerings",
        "List service offerings; all arguments given must match",
        OFFERING,
        f"service_offering_id name owned_by {_OPERATION} short_description parent=business_service created_after created_before",
    ),
    creating(
        "register_new_service_offering",
        "Create a service offering under its parent service",
        OFFERING,
        "name owned_by short_description parent=business_service",
        _OPERATION,
    ),
    updating(
        "update_service_offering",
        "Change a service offering",
        OFFERING,
        "service_offering_id",
        f"name owned_by {_OPERATION} short_description parent=business_service",
    ),
    getting("find_configuration_item_by_serial_number", "Read a configuration item by its serial number", CI, "serial_number"),
    listing(
        "find_configuration_items",
        "List configuration items; all arguments given must match",
        CI,
        "configuration_item_id owner_id location_id serial_number status cost created_after created_before",
    ),
    creating(
        "register_configuration_item", "Create a configuration item", CI, "name owner_id location_id serial_number status cost"
    ),
    updating(
        "update_configuration_item",
        "Change a configuration item",
        CI,
        "configuration_item_id",
        "owner_id location_id serial_number status cost name",
    ),
)
