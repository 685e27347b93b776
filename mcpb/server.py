"""Starts CiteLoom's MCP server; uv installs what the pyproject.toml beside this file names."""

import os
import sys

if __name__ == "__main__":  # the processes that read files import this file, too
    # A host hands on what its user left empty as nothing, or as the placeholder itself.
    for name, value in list(os.environ.items()):
        if not value or value.startswith("${user_config."):
            del os.environ[name]

    from citeloom.cli import main  # reads the environment

    sys.argv[1:] = ["mcp"]
    main()
