"""The starting files: copy one, write what is missing, run the check."""
