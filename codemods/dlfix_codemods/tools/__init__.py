"""What codemods share: finding nodes, adding imports, placing statements."""
