"""ROC and precision-recall curves, areas under them, DeLong's test, decision thresholds and calibration."""
