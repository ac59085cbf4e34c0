"""Email: mailboxes with their messages, labels, filters, settings, keys and delegates."""
