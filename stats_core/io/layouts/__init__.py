"""Detection of table layouts: each module proposes hypotheses with weighted evidence."""
