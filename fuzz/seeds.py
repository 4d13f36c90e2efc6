#!/usr/bin/env python3
"""Writes the seed corpora: fixtures of the agents, policies, command lines and settings files of the tests.

usage: seeds.py FOLDER
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write(folder: pathlib.Path, seeds: list[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (folder / f"seed-{number:04}").write_bytes(seed)


def fixtures() -> dict[str, list[bytes]]:
    messages: dict[str, list[bytes]] = {}
    for file in sorted(ROOT.glob("adapters/*/fixtures/*.json")):
        agent = file.parent.parent.name.replace("_", "-")
        message = json.loads(file.read_text())["stdin"]
        messages.setdefault(agent, []).append(json.dumps(message, ensure_ascii=False).encode())
    return messages


def quoted(text: str) -> list[str]:
    """The TOML strings of one line each."""
    basic = re.findall(r'"(?:[^"\\\n]|\\.)*"', text)
    literal = [found[1:-1] for found in re.findall(r"'[^'\n]*'", text)]
    return [json.loads(found) for found in basic if is_json(found)] + literal


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def main() -> None:
    target = pathlib.Path(sys.argv[1])
    messages = fixtures()
    for agent, seeds in messages.items():
        write(target / f"adapter-{agent}", seeds)
    everything = [seed for seeds in messages.values() for seed in seeds]
    write(target / "lines", [seed + b"\n" for seed in messages["picoclaw"]])
    # `arbitrary` takes numbers and the lengths of texts from the end of the input.
    write(target / "splice", [b"new" + seed for seed in everything])

    starter = (ROOT / "policy/starter.toml").read_text()
    readme = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    presets = [file.read_text() for file in sorted(ROOT.glob("policy/presets/*.toml"))]
    write(target / "policy", [text.encode() for text in [starter, *presets, *readme]])

    oracle = sorted(ROOT.glob("tests/oracle/**/*.toml"))
    lines = {line for file in oracle for line in quoted(file.read_text())}
    write(target / "command", [line.encode() for line in sorted(lines)])

    settings = sorted(ROOT.glob("snapshots/setup/**/*"))
    write(target / "settings", [file.read_bytes() for file in settings if file.is_file()])


main()
