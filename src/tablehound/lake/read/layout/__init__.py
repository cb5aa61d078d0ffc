"""Where the tables of a grid of cells are (sheets, HTML, JSON arrays): regions, header levels, titles and notes, row
labels."""
