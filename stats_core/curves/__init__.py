"""ROC and precision-recall curves, areas, thresholds, losses."""
