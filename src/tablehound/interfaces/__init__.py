"""Command line, web page, MCP server, notebook display."""
