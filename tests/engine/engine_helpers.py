"""Running `halma engine` in a process of its own."""

import json
import subprocess
import threading
from contextlib import contextmanager
from queue import Queue

from cli.cli_helpers import HALMA


class Engine:
    """An engine that is running: lines to it, and lines from it."""

    def __init__(self, *options):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*HALMA, "engine", *options], stdin=pipe, stdout=pipe, stderr=pipe
        )
        self._lines = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line.decode().rstrip("\n"))

    def send(self, line):
        text = line if isinstance(line, bytes) else line.encode()
        self.process.stdin.write(text + b"\n")
        self.process.stdin.flush()

    def receive(self, seconds=30):
        return self._lines.get(timeout=seconds)

    def ask(self, *queries):
        """Send queries, and return as many answers, by id and turn."""
        for query in queries:
            self.send(json.dumps(query))
        answers = [json.loads(self.receive()) for _ in queries]
        return {(one["id"], one.get("turn")): one for one in answers}

    def end(self):
        """Close the input; return exit status and standard error."""
        self.process.stdin.close()
        status = self.process.wait(30)
        return status, self.process.stderr.read().decode()


@contextmanager
def engine(*options):
    """Start an engine, and end it if the block has not."""
    running = Engine(*options)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()
