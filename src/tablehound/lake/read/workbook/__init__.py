"""Decides which sheets of a workbook (XLSX, XLSM, XLSB, XLS, ODS) are read, and what the raw text of each cell is.

Where the tables of a sheet are, ``layout`` decides.
"""
