"""What every family shares and no family owns: tasks, tools, actions, spaces, worlds, verdicts, parameters, errors."""
