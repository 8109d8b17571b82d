"""The API of every cuDNN release as data: the model, its history, and the diff between releases."""
