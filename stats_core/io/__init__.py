"""Reading of files and data frames as `Results`."""
