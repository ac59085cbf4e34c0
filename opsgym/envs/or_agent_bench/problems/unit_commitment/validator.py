"""Validator of the plant commitment: follows each plant from hour to hour, and knows nothing of the model."""

from __future__ import annotations

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.unit_commitment.brief import rules
from opsgym.envs.or_agent_bench.problems.unit_commitment.instance import Instance, Plan, Plant


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan, previous).report()


class _Look:
    """One plan, plant by plant and hour by hour."""

    def __init__(self, instance: Instance, plan: Plan, previous: Plan | None) -> None:
        self.instance = instance
        self.plan = plan
        self.previous = previous
        self.findings = Findings(rules(instance))
        self.forecast = {forecast.hour: forecast for forecast in instance.forecasts}
        self.hours = sorted(self.forecast)
        self.made: dict[str, dict[int, int]] = {plant.name: {} for plant in instance.plants}
        for output in plan.outputs:
            known = output.plant in self.made and output.hour in self.forecast
            once = known and output.hour not in self.made[output.plant]
            self.findings.require("form", once, f"{output.plant} in hour {output.hour} does not exist or stands there twice")
            if once:
                self.made[output.plant][output.hour] = output.mw
        self.cents = 0

    def report(self) -> Report:
        """All rules, one after the other."""
        for plant in self.instance.plants:
            self._outputs(plant, self.made[plant.name])
            self._switching(plant, self.made[plant.name])
        for hour in self.hours:
            self._hour(hour)
        if self.instance.emission_kg:
            kg = sum(plant.kg * mw for plant in self.instance.plants for mw in self.made[plant.name].values())
            self.findings.require("emissions", kg <= self.instance.emission_kg, f"{kg} kg of {self.instance.emission_kg}")
        self._freeze()
        charge = self._charge()
        return self.findings.report(self.cents + charge, charge)

    def _outputs(self, plant: Plant, made: dict[int, int]) -> None:
        for hour, mw in sorted(made.items()):
            label = f"{plant.name} makes {mw} MW in hour {hour}"
            self.findings.require("range", plant.least <= mw <= plant.most, label)
            if plant.avoid_to:
                self.findings.require("avoid", not plant.avoid_from < mw < plant.avoid_to, label)
            if plant.ramp and hour + 1 in made:
                change = abs(made[hour + 1] - mw)
                self.findings.require("ramp", change <= plant.ramp, f"{label} and {made[hour + 1]} MW in the next")
            cheap = min(mw, plant.knee)
            self.cents += plant.run_cents + cheap * plant.low_cents + (mw - cheap) * plant.high_cents

    def _switching(self, plant: Plant, made: dict[int, int]) -> None:
        runs, since = plant.before > 0, abs(plant.before)
        for hour in self.hours:
            if (hour in made) == runs:
                since += 1
                continue
            rule, least = ("up", plant.up) if runs else ("down", plant.down)
            self.findings.require(rule, since >= least, f"{plant.name} is switched in hour {hour} after {since} hours of {least}")
            runs, since = not runs, 1
            self.cents += plant.start_cents if runs else 0

    def _hour(self, hour: int) -> None:
        instance, forecast = self.instance, self.forecast[hour]
        running = [plant for plant in instance.plants if hour in self.made[plant.name]]
        made = sum(self.made[plant.name][hour] for plant in running)
        self.cents += instance.shed_cents * max(0, forecast.demand - forecast.wind - made)
        self.cents += instance.dump_cents * max(0, made - forecast.demand)
        if instance.reserve:
            spare = sum(plant.most for plant in running) - made
            self.findings.require("reserve", spare >= instance.reserve, f"{spare} MW in reserve in hour {hour}")
        if instance.gas_mw:
            gas = sum(self.made[plant.name][hour] for plant in running if plant.on_gas)
            self.findings.require("gas", gas <= instance.gas_mw, f"{gas} MW on gas in hour {hour}")

    def _freeze(self) -> None:
        if self.previous is None:
            return
        first = self.instance.first_open
        before, now = ({output for output in plan.outputs if output.hour < first} for plan in (self.previous, self.plan))
        for output in sorted(before ^ now, key=lambda output: (output.hour, output.plant, output.mw)):
            self.findings.add("freeze", f"{output.plant} in hour {output.hour} was changed")

    def _charge(self) -> int:
        if self.previous is None:
            return 0
        before = {(output.plant, output.hour) for output in self.previous.outputs}
        now = {(name, hour) for name, made in self.made.items() for hour in made}
        return self.instance.change_cents * len(before ^ now)
