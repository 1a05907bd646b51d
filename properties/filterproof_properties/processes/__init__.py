"""Child processes: started, read, limited and ended here and nowhere else."""
