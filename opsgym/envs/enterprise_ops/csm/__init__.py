"""Customer service management: cases of accounts, their products, contracts, entitlements and service levels."""
