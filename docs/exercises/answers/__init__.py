"""The answers: slow and obvious code. The checks compare what a learner writes with it."""
