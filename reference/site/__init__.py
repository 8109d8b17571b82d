"""The finished site: links and navigation of its pages, its versions, and a check of all links."""
