"""Run `foldwise` by its former name, `python -m stats_core`."""

import runpy

if __name__ == "__main__":
    runpy.run_module("foldwise", run_name="__main__", alter_sys=True)
