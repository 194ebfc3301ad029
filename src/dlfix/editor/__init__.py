"""The language server, and external-tool definitions for editors."""
