"""Method cards: question, formula, assumptions and references of each method."""
