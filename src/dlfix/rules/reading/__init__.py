"""What several rules and planners read off classes and functions: `ast` alone, no opinion."""
