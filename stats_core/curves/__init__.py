"""ROC and precision-recall curves, areas under them, decision thresholds and proper losses."""
