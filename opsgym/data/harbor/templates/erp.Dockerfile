# The ERP's server, with the world of the task.
FROM python:3.12-slim
@INSTALL@
COPY . /erp
CMD ["sh", "/erp/serve.sh"]
