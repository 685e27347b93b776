"""Every run, whoever asked for it and wherever it executes: started, followed, answered, stopped, resumed, read back."""
