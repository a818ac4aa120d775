"""Which network addresses a page may be fetched from, and how a host name becomes checked addresses."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Sequence

from keen_tui.tools.base import ToolError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_CLOUD_METADATA = frozenset({"168.63.129.16", "169.254.169.254", "100.100.100.200", "fd00:ec2::254"})
_CARRIES_IPV4 = ipaddress.IPv6Network("64:ff9b::/96")
_OLD_LOCAL = tuple(map(ipaddress.IPv6Network, ("::/96", "fec0::/10", "64:ff9b:1::/48")))


async def resolve_host(host: str, port: int, allow_private: bool) -> tuple[str, ...]:
    """The addresses of `host`, each of them checked. Raises ToolError when any is private.

    The connection must go to one of the addresses given here, not to the name: a second look-up could
    answer something else.
    """
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ToolError(f"The host {host} was not found: {error}.") from error
    addresses = tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))
    if not allow_private:
        _refuse_private(host, addresses)
    return addresses


def is_private(address: str) -> bool:
    """Whether `address` is anything but a public host: loopback, private, link-local, multicast,
    reserved, a cloud's metadata service, or an IPv6 form that carries such an IPv4 address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return True
    found = _carried_ipv4(found) or found
    if isinstance(found, ipaddress.IPv6Address) and any(found in network for network in _OLD_LOCAL):
        return True
    return not found.is_global or found.is_multicast or str(found) in _CLOUD_METADATA


def _carried_ipv4(address: Address) -> Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _CARRIES_IPV4:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def _refuse_private(host: str, addresses: Sequence[str]) -> None:
    for address in addresses:
        if is_private(address):
            shown = host if host == address else f"{host} ({address})"
            raise ToolError(
                f"{shown} is a private address, and those are not fetched. If it is a server that the user "
                "runs here, ask for it to be allowed, or use bash with curl."
            )
