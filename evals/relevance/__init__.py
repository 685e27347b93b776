"""Whether `find` judges and ranks the papers of the starter library that an input is about."""
