"""The tables of delimited text: decode, dialect, records, layout, header, assemble, totals. :mod:`.reader` calls the
stages in order."""
