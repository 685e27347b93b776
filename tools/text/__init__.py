"""Classical language processing: sentences, words, quotes, keyphrases, roles, reporting clauses."""
