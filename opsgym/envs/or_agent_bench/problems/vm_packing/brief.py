"""What an agent reads of the virtual machines."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.vm_packing.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/machines.csv": {
        "machine": "name of the virtual machine",
        "service": "service of which it is a replica",
        "memory": "memory, with its unit",
        "burst": "millicores that it may take more for a short time",
        "licence": "licence that it needs, empty for none",
        "mate": "machine with which it shares a host, empty for none",
        "state": "yes when it has state",
        "cloud_cents": "cost in the public cloud, cents",
    },
    "data/loads.csv": {"machine": "name of the virtual machine", "part": "part of the day, from 1", "millicores": "load then"},
    "data/hosts.json": {
        "host": "name of the host",
        "rack": "its rack",
        "millicores": "processor capacity, millicores",
        "memory_mb": "memory, MB",
        "watts": "power when in use",
        "cents": "cost when in use, cents",
    },
    "data/platform.yaml": {
        "replicas_apart": "whether replicas keep apart",
        "rack_watts": "power budget of a rack, 0 for none",
        "licence_cents": "cost of a licence for a host, cents",
        "bursts_fit": "whether bursts must fit",
        "move_cents": "charge for a machine that is no longer where it was accepted, cents",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A platform team places {len(instance.machines)} virtual machines on {len(instance.hosts)} hosts; a machine that gets "
        f"no host runs "
        "in the public cloud. Loads differ between parts of the day, memory does not. A host is in use when a machine is on it."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = "Make the cost in cents small: `cents` for every host in use and `cloud_cents` for every machine in the cloud."
    if instance.licence_cents:
        text += " Each licence costs `licence_cents` for every host on which at least one machine needs it."
    if instance.epoch:
        text += (
            " Each machine of the accepted plan that is still there and is no longer on the same host, or no longer in the "
            "cloud, "
            "costs `move_cents`."
        )
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": "Every machine is on exactly one host or in the cloud, and no other machine is named.",
        "cores": "In every part of the day the loads of the machines on a host take no more than its millicores.",
        "memory": "The machines on a host take no more than its memory.",
    }
    if instance.has_bursts:
        found["burst"] = (
            "In every part of the day the loads on a host and the greatest burst of a machine on it, taken once, fit into its "
            "millicores."
        )
    if instance.keeps_apart:
        found["apart"] = "No two replicas of one service are on the same host."
    if any(machine.mate for machine in instance.machines):
        found["mates"] = "A machine with a mate is on the same host as its mate, or both are in the cloud."
    if instance.rack_watts:
        found["power"] = "The hosts in use in a rack draw no more than `rack_watts` together."
    if instance.epoch:
        found["freeze"] = "A machine with state stays where the accepted plan has it, on its host or in the cloud."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    machines = [
        {
            "machine": m.name,
            "service": m.service,
            "memory": m.megabytes,
            "burst": m.burst,
            "licence": m.licence,
            "mate": m.mate,
            "state": "yes" if m.has_state else "no",
            "cloud_cents": m.cloud_cents,
        }
        for m in instance.machines
    ]
    loads = [
        {"machine": m.name, "part": part, "millicores": load}
        for m in instance.machines
        for part, load in enumerate(m.millicores, start=1)
    ]
    hosts = [
        {"host": h.name, "rack": h.rack, "millicores": h.millicores, "memory_mb": h.megabytes, "watts": h.watts, "cents": h.cents}
        for h in instance.hosts
    ]
    platform: dict[str, object] = {
        "replicas_apart": instance.keeps_apart,
        "rack_watts": instance.rack_watts,
        "licence_cents": instance.licence_cents,
        "bursts_fit": instance.has_bursts,
    }
    if instance.epoch:
        platform |= {"move_cents": instance.move_cents}
    return {
        "data/hosts.json": wrinkles.json(hosts),
        "data/platform.yaml": wrinkles.yaml(platform),
        "data/loads.csv": wrinkles.csv(loads, key=["machine", "part"], vary=["millicores"]),
        "data/machines.csv": wrinkles.csv(machines, key="machine", vary=["cloud_cents"], units={"memory": "MB/GB"}),
    }
