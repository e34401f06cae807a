"""The workbook: a trace as a spreadsheet whose every number follows from others by formula."""
