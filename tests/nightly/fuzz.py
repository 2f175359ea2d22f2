"""Fuzzing with coverage guidance (atheris, libFuzzer): every reader of foreign files.

    make fuzz SECONDS=7200                    # shared among all readers
    make fuzz SECONDS=600 READERS=plda.npz

libFuzzer changes good files and keeps what reaches lines and branches that nothing before reached.
A reader reads the file or raises BadInput in one line. Another exception, more than 10 s or more
than 2 GB end it. What it was is kept below .fuzz/NAME/found, to become a row of tests/support. What
reached something new is kept beside it, so that a second call goes on.
"""

import argparse
import contextlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".fuzz"
LIMIT_S, LIMIT_MB = 10, 2048
LARGEST = 20_000  # bytes of a file, where the good one is not larger


def fuzz_one(name: str, folder: Path, options: list[str]) -> None:
    """Feed one reader in this process until libFuzzer ends it."""
    import atheris

    sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]
    with atheris.instrument_imports(include=["voiceprivacy", "yaml", "zipfile"]):
        from support import readers

        from voiceprivacy.errors import BadInput

    readers.build(folder)
    (folder / "seeds").mkdir()
    (folder / "seeds" / "good").write_bytes((folder / name).read_bytes())
    (folder / "words").write_text("\n".join(map(_word, filter(None, readers.TOKENS))) + "\n")
    read = readers.READERS[name]

    def feed(content: bytes) -> None:
        Path(name).write_bytes(content)
        try:
            read(Path(name))
        except BadInput as error:
            assert str(error) and "\n" not in str(error)

    with contextlib.chdir(folder):
        longest = max(LARGEST, (folder / name).stat().st_size)
        words = [sys.argv[0], *options, f"-max_len={longest}", "-dict=words"]
        words += [kept_folder(name), "seeds"]
        atheris.Setup(words, feed)
        atheris.Fuzz()


def kept_folder(name: str) -> str:
    """Where what reached something new is kept."""
    folder = KEPT / re.sub(r"\W", "_", name) / "reached"
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def _word(token: bytes) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in token[:64]) + '"'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=7200, help="for all readers together")
    parser.add_argument("--readers", nargs="*", default=[], help="default: all")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments, options = parser.parse_known_args()
    if arguments.one:
        fuzz_one(arguments.one, arguments.folder, options)
        return
    sys.exit(fuzz_all(arguments.readers or all_readers(), arguments.seconds))


def all_readers() -> list[str]:
    sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]
    from support import readers

    return list(readers.READERS)


def fuzz_all(names: list[str], seconds: int) -> int:
    """Fuzz one reader after the other, each in a process and folder of its own; 1 if one failed."""
    failed, total = [], 0
    print(f"{'reader':36} {'executions':>10} {'edges':>6} {'seconds':>8}  found")
    for name in names:
        kept = Path(kept_folder(name)).parent
        (kept / "found").mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            limits = [f"-timeout={LIMIT_S}", f"-rss_limit_mb={LIMIT_MB}"]
            limits += [f"-max_total_time={max(1, seconds // len(names))}", "-print_final_stats=1"]
            words = [sys.executable, __file__, "--one", name, "--folder", folder, *limits]
            words.append(f"-artifact_prefix={kept / 'found'}/")
            finished = subprocess.run(words, capture_output=True, text=True, errors="replace")
        (kept / "log").write_text(finished.stdout + finished.stderr)
        executions = _last(r"number_of_executed_units: (\d+)", finished.stderr)
        edges = _last(r"cov: (\d+)", finished.stderr)
        took = _last(r"Done \d+ runs in (\d+) second", finished.stderr)
        where = "" if finished.returncode == 0 else f"{kept}/log"
        print(f"{name:36} {executions:>10} {edges:>6} {took:>8}  {where}", flush=True)
        total += executions
        failed += [name] if finished.returncode else []
    print(f"{total} executions, {len(failed)} of {len(names)} readers failed")
    return 1 if failed else 0


def _last(pattern: str, text: str) -> int:
    """The last number that a pattern finds; 0 if it finds none."""
    numbers = re.findall(pattern, text)
    return int(numbers[-1]) if numbers else 0


if __name__ == "__main__":
    main()
