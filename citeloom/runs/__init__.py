"""Every run, whoever asked for it and wherever it executes: started, followed, answered, stopped, read back."""
