"""One file a codemod: findings and facts in, plans out."""
