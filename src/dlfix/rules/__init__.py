"""One file a rule: code, name, page, what it looks for, and which codemod mends it."""
