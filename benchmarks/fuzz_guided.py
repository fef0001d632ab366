"""Read inputs that go on from those that reached new lines; a folder keeps them between runs.

    pip install atheris
    python -m benchmarks.fuzz_guided FOLDER -max_total_time=600

The folder begins with the tables of `benchmarks.fuzz`. Half of the mutations are those of `benchmarks.fuzz`, half atheris's own. One input in twenty
goes all the way to a report. What fails is printed and written beside the folder as `FOLDER.found/...`, and the run goes on. What follows the
folder goes to libFuzzer (https://llvm.org/docs/LibFuzzer.html#options), which prints how many lines were reached (`cov`) and inputs kept (`corp`).
"""

import hashlib
import logging
import sys
import warnings
import zlib
from pathlib import Path


def main(folder: Path, options: list[str]) -> None:
    """Fuzz until the options say it is enough."""
    import atheris  # of no use to anything else

    with atheris.instrument_imports(include=["stats_core"]):
        from benchmarks.fuzz import MEGABYTES, WHOLE, corpus, examined, mutated_once
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("error")  # a warning was not foreseen, either
    tables, seen, found = corpus(), set(), folder.with_name(f"{folder.name}.found")
    for place in (folder, found):
        place.mkdir(parents=True, exist_ok=True)
    for number, table in enumerate(tables):
        (folder / f"table{number}").write_bytes(table)

    def one(content: bytes) -> None:
        where = examined(content, whole=zlib.crc32(content) % WHOLE == 0)[1]
        if where and where not in seen:
            seen.add(where)
            file = found / hashlib.sha256(content).hexdigest()[:12]
            file.write_bytes(content)
            print(f"{where}: {file}", flush=True)

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
