"""Settings of all tests."""

import signal
import threading


def pytest_configure() -> None:
    """Handle SIGINT, which some tests send; a shell makes background programs ignore it."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
