"""What a claim rests on: quotes, support, contradiction, and what no source gives."""
