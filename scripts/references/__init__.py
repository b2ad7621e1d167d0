"""The tables of pages: each module makes the tables of one page from the program, its sources or a file of data."""
