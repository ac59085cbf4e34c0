# The verifier, with the certificate of the task.
FROM python:3.12-slim
@INSTALL@
COPY . /tests
