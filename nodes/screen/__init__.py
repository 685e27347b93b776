"""Steps of `screen`: decisions on papers by the criteria of a protocol."""
