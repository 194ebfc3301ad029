"""The codemods of dlfix: each rewrites one module by a plan, losslessly, with LibCST."""
