"""EnterpriseOps: service work across connected systems, under policy."""
