"""Inputs of a comparison: releases, folders of headers, suppressions."""
