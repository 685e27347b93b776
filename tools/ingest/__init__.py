"""Taking files into a library: which files, read where and how, and what papers they are of."""
