"""Which filter to use: how long each lasts on a described workload."""
