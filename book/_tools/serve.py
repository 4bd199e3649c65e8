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


def open_server(port: int) -> http.server.ThreadingHTTPServer:
    """A server at the first free port from `port` on."""
    http.server.ThreadingHTTPServer.allow_reuse_address = sys.platform != "win32"
    for candidate in range(port, port + 100):
        try:
            return http.server.ThreadingHTTPServer(
                ("127.0.0.1", candidate), functools.partial(Handler, directory=str(SITE))
            )
        except OSError:
            continue
    sys.exit(f"No free port between {port} and {port + 99}: choose one with PORT=….")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    server = open_server(parser.parse_args().port)
    print(f"The book is at http://127.0.0.1:{server.server_port}/ (Ctrl+C stops it)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
