"""What holds for all tests."""

import signal
import threading


def pytest_configure() -> None:
    """Hear Ctrl-C, which some tests send: a shell lets programs in the background ignore it."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
