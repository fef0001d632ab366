"""`python -m stats_core`: the command of `foldwise`, by its older name."""

import runpy

if __name__ == "__main__":
    runpy.run_module("foldwise", run_name="__main__", alter_sys=True)
