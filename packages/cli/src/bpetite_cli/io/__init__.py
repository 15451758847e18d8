"""Input and output: text and ids from files, results to files and standard output."""
