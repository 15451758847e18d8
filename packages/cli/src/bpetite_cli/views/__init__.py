"""What `show` and `inspect` display: drawn for a screen, or as data for JSON."""
