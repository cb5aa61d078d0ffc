"""The lake: a collection of tables read from sources into one folder on disk, with its indexes."""
