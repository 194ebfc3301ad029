"""What it takes to move a function to module level: its captures, its uses, its name."""
