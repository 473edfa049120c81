"""What every request passes before anything else sees it: host, origin, token and size.

A page of another site must not be able to use the server on this machine, so requests are
refused whose `Host` is not one of the server's names (DNS rebinding) or whose `Origin` is another
site. Responses carry a policy by which the page runs only its own scripts and asks only this
server.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "halma_token"
#: Largest body of a request, in bytes.
MOST_BYTES = 2_000_000
#: Hosts that stand for all addresses of a machine.
WILDCARDS = ("0.0.0.0", "::")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; manifest-src 'self'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether a server at an address is reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Guard:
    """An ASGI application around another one; without a token none is asked for."""

    app: ASGIApp
    #: the address the server is bound to
    host: str
    token: str | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if scope["type"] == "websocket":
            if refusal is not None:
                await receive()
                await send({"type": "websocket.close", "code": 1008})
                return
            await self.app(scope, receive, send)
            return

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith("/api"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await (refusal or _Bounded(self.app))(scope, receive, protected)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is not passed on, or None."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_mine(hosts[0]):
            return _refused("This server answers to its own address only.")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != hosts[0]:
            return _refused("Requests of other sites are refused.")
        if origin is None and scope["type"] == "websocket" and "sec-fetch-site" in headers:
            return _refused("Requests of other sites are refused.")
        if headers.get("sec-fetch-site") == "cross-site" and scope["path"].startswith("/api"):
            return _refused("Requests of other sites are refused.")
        return None if self.token is None else self._without_token(scope, headers)

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        assert self.token is not None
        if self._is_token(_cookie(headers)) or self._is_token(
            headers.get("authorization", "").removeprefix("Bearer ")
        ):
            return None
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        if scope["type"] == "http" and self._is_token(query.pop("token", "")):
            # The token goes into a cookie, and out of the address bar.
            left = f"?{urlencode(query)}" if query else ""
            answer = RedirectResponse(f"/{scope['path'].lstrip('/')}{left}", 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict", path="/")
            return answer
        return _refused("Open the address that the server printed: it has a token.")

    def _is_token(self, given: str) -> bool:
        assert self.token is not None
        return secrets.compare_digest(given.encode(), self.token.encode())

    def _is_mine(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        if name is None:
            return False
        if name in _LOOPBACK or name == self.host.lower():
            return True
        if is_loopback(self.host):
            return False
        if self.host not in WILDCARDS:
            return False
        # Bound to all addresses: any of them and the machine's own name, but no name that
        # somebody else may give them.
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name == socket.gethostname().lower()
        return True


@dataclass(frozen=True)
class _Bounded:
    """Refuses bodies that are too large, whether or not their length is declared."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        declared = Headers(scope=scope).get("content-length", "0")
        if not declared.isdecimal() or len(declared) > 15 or int(declared) > MOST_BYTES:
            await _too_large()(scope, receive, send)
            return
        messages: list[Message] = []
        size = 0
        more = True
        while more:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            more = message.get("more_body", False)
            if size > MOST_BYTES:
                await _too_large()(scope, receive, send)
                return

        async def replayed() -> Message:
            return messages.pop(0) if messages else await receive()

        await self.app(scope, replayed, send)


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _refused(sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, 403)


def _too_large() -> JSONResponse:
    return JSONResponse({"error": f"A request has at most {MOST_BYTES:,} bytes."}, 413)
