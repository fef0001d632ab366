"""Reading of result files and data frames as `Results`."""
