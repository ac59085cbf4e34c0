"""The policy as agents read it, written from the declarations."""

from __future__ import annotations

from opsgym.core.records.domain import Domain


def policy_text(domain: Domain) -> str:
    """The policy in Markdown: rights, then each section's notes and rules; every rule that is checked is in it, with its id."""
    parts = [f"# {domain.title}: policy", "## Rights", *(f"- {sentence}" for sentence in domain.rights.sentences())]
    parts += [f"- [{sight.id}] {sight.sentence}" for sight in domain.sights]
    parts += [f"- [{mask.id}] {mask.sentence}" for mask in domain.masks]
    sections: dict[str, list[str]] = {name: [f"- {note}" for note in notes] for name, notes in domain.notes.items()}
    for rule in domain.rules:
        sections.setdefault(rule.section or rule.table, []).append(f"- [{rule.id}] {rule.sentence}")
    for name, lines in sections.items():
        parts += [f"## {name.replace('_', ' ').capitalize()}", *lines]
    return "\n".join(parts) + "\n"
