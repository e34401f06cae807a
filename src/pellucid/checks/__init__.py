"""The equalities that make a model trustworthy, as functions for users and for the tests."""
