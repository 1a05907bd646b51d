"""What every adapter uses: spends, doubles rounded outward, libraries imported when named."""
