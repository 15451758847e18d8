"""Bytes in and out: text and ids read in blocks, results and files written as a whole."""
