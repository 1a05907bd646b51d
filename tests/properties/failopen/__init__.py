"""The room `failopen`."""
