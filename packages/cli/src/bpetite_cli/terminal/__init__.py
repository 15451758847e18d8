"""What a person sees: messages and bars on standard error, and what a screen can show."""
