"""Where the tables of delimited text are: dialect, records, layout, header, rows. :mod:`.reader` calls the stages in
order."""
