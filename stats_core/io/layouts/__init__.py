"""Layouts of tables, one module each; every module proposes hypotheses with evidence."""
