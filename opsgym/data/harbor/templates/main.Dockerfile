# The agent's workplace: a client of the ERP, and nothing of the task.
FROM python:3.12-slim
RUN pip install --no-cache-dir odoo-client-lib==2.0.1
COPY api_key /etc/odoo/api_key
WORKDIR /workspace
