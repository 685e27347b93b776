"""The check of claims, one for all graphs: what a judge says of them, on which text, and what code knows."""
