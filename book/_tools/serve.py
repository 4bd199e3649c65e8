"""Serve the built book on this machine, at port 8000 or the next free one (`--port`)."""

import argparse
import functools
import http.server
import sys
from pathlib import Path

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Static files, never cached by the browser, so that a reload shows the last build."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def port_number(text: str) -> int:
    """What `--port` takes; argparse turns the error into one line."""
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"a port is a whole number from 1 to 65535, not {text!r}")
    return int(text)


def open_server(port: int) -> http.server.ThreadingHTTPServer:
    """A server at the first free port from `port` on."""
    http.server.ThreadingHTTPServer.allow_reuse_address = sys.platform != "win32"
    last = min(port + 99, 65535)
    for candidate in range(port, last + 1):
        try:
            return http.server.ThreadingHTTPServer(
                ("127.0.0.1", candidate), functools.partial(Handler, directory=str(SITE))
            )
        except OSError:
            continue
    sys.exit(f"No free port between {port} and {last}: choose one with PORT=….")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=port_number, default=8000)
    server = open_server(parser.parse_args().port)
    print(f"The book is at http://127.0.0.1:{server.server_port}/ (Ctrl+C stops it)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
