"""Findings and fixes as text, diff, JSON, SARIF, GitHub, GitLab, JUnit and HTML."""
