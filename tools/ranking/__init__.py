"""How promising papers look and how complete a search was: estimates from text, links and counts."""
