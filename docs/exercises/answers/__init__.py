"""The answers: slow and obvious code. The checks compare the learner's results with theirs."""
