"""Helpers that know nothing of cuDNN: forks, files, results, caches, wording of messages."""
