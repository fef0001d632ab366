"""Method cards: definition, formula, assumptions and references of each statistical method."""
