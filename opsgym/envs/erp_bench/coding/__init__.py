"""The coding harness of ERPBench: files, a shell and Python in a sandbox, and the ERP over HTTP."""
