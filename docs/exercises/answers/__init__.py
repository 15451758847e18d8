"""The answers: slow and obvious code, to which the checks hold what a learner writes."""
