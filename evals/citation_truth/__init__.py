"""How many falsehoods and truths the support verdict accepts: pairs made from abstracts."""
