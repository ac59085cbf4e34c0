"""ERPBench: procurement and production planning in an ERP, certified by CP-SAT."""
