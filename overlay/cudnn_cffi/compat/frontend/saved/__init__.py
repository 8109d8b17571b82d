"""Graphs and plans of the front end as text and bytes."""
