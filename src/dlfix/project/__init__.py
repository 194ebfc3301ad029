"""Facts of modules: names, scopes, imports, classes, calls; no opinion."""
