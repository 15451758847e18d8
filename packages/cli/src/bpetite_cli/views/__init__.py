"""What commands draw on standard output: tokens of a text, merges, what a tokenizer contains."""
