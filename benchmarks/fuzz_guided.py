"""Coverage-guided fuzz test of reading and analysing, with a persistent corpus.

    pip install atheris
    python -m benchmarks.fuzz_guided FOLDER -max_total_time=600

The corpus in the folder starts with the tables of `benchmarks.fuzz`. Half of the mutations are
those of `benchmarks.fuzz`, half those of atheris. One input in twenty is analysed and reported.
Failing inputs are printed and written to `FOLDER.found/`, and the run continues. Further options
are passed to libFuzzer (https://llvm.org/docs/LibFuzzer.html#options), which prints the numbers of
lines reached (`cov`) and inputs kept (`corp`).
"""

import hashlib
import logging
import sys
import warnings
import zlib
from pathlib import Path


def main(folder: Path, options: list[str]) -> None:
    """Fuzz until a limit in the options is reached."""
    import atheris  # used here only

    with atheris.instrument_imports(include=["stats_core"]):
        from benchmarks.fuzz import MEGABYTES, WHOLE, corpus, examined, mutated_once
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("error")  # warnings count as failures, too
    tables, locations, failures = corpus(), set(), folder.with_name(f"{folder.name}.found")
    for directory in (folder, failures):
        directory.mkdir(parents=True, exist_ok=True)
    for number, table in enumerate(tables):
        (folder / f"table{number}").write_bytes(table)

    def one(content: bytes) -> None:
        location = examined(content, whole=zlib.crc32(content) % WHOLE == 0)[1]
        if location and location not in locations:
            locations.add(location)
            file = failures / hashlib.sha256(content).hexdigest()[:12]
            file.write_bytes(content)
            print(f"{location}: {file}", flush=True)

    def mutate(content: bytes, most: int, seed: int) -> bytes:
        if seed % 2:
            return atheris.Mutate(content, most)
        return mutated_once(content, seed, tables)[:most]

    limits = ["-max_len=20000", f"-rss_limit_mb={MEGABYTES}"]
    atheris.Setup([sys.argv[0], str(folder), *limits, *options], one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
