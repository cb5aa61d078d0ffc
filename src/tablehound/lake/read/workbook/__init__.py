"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS): which sheets there are, and the texts of their cells."""
