"""HR service delivery: cases, their tasks and approvals, people's profiles, and the catalogue of services."""
