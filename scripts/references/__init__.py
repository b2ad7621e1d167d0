"""The tables of docs/reference: each module makes the tables of one page from the program or from its sources."""
