"""What a person sees while a command runs: lines and bars on standard error, and the screen."""
