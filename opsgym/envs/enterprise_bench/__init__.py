"""EnterpriseBench: employees ask, across an enterprise's sources, with exactly their own rights."""
