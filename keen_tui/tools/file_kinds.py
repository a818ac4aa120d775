"""What a file that is no text is, by its first bytes."""

from __future__ import annotations

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"%PDF-", "PDF document"),
    (b"\x7fELF", "ELF program or library"),
    (b"PK\x03\x04", "zip archive (or a document in one)"),
    (b"PK\x05\x06", "zip archive (empty)"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "7-zip archive"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"\x00asm", "WebAssembly module"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"wOFF", "web font"),
    (b"wOF2", "web font"),
)
_TEXT_CONTROLS = frozenset(b"\t\n\r\x0c\x08\x1b\x1a")
_SAMPLE = 8192


def binary_kind(content: bytes) -> str:
    """The type of binary `content`, such as "PNG image" or plain "binary data"; "" for likely text.

    Text in UTF-16 or UTF-32 must be recognised by its byte order mark before this is asked.
    """
    if content[:4] == b"RIFF" and content[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return {b"WEBP": "WebP image", b"WAVE": "WAVE audio"}.get(content[8:12], "AVI video")
    if content[4:8] == b"ftyp":
        return "MP4 or similar media"
    if content[257:262] == b"ustar":
        return "tar archive"
    plain = _mostly_plain(content)
    for start, name in _MAGIC:
        readable_word = start.isalnum()
        if content.startswith(start) and not (readable_word and plain):
            return name
    return "" if plain else "binary data"


def _mostly_plain(content: bytes) -> bool:
    """No NUL at all, and few other control characters at the beginning: four, or two in a hundred."""
    sample = content[:_SAMPLE]
    controls = sum(1 for byte in sample if byte < 32 and byte not in _TEXT_CONTROLS)
    return b"\x00" not in content and controls <= max(4, len(sample) // 50)
