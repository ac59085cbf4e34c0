"""Drive: files and folders, who may see and change them, and what happened to them."""
