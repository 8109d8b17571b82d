"""The site: a page for every name of cuDNN, beside the guide and the reference of the package.

Pages of names, releases and descriptors are written from the models, as Markdown; Sphinx makes a
site of them and of docs/. `python -m reference` needs the extra "site" and no network.
"""
