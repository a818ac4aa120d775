"""From the words a person or a model types to FTS5 expressions that nothing typed can break."""

from __future__ import annotations

from dataclasses import dataclass

from keen_tui.domain.errors import KeenError
from keen_tui.domain.folding import flat, is_word_character, word_form

LONGEST_QUERY = 500
"""Characters."""
MOST_WORDS = 16
_TRIGRAM = 3
_OPENING = ",;:!?'\"()[]{}“”‘’«»…、。，"
_CLOSING = _OPENING + "."


class QueryProblem(KeenError):
    """A query that can't be answered; the message says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to look: FTS5 expressions for both tables (empty: not used), and texts that must be inside.

    `words`, `trigrams` and `contains` must all hold. Matches that are not `ranked` come newest first.
    """

    words: str = ""
    trigrams: str = ""
    contains: tuple[str, ...] = ()
    ranked: bool = True


@dataclass(frozen=True, slots=True)
class Query:
    """`needles` are the folded texts that an excerpt should show. Earlier plans give the better hits."""

    needles: tuple[str, ...]
    plans: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class _Term:
    """`phrase` is its words as one FTS5 string, `core` the number of characters in them."""

    text: str
    phrase: str
    core: int

    @property
    def edged(self) -> bool:
        """Whether a symbol at an end makes it more than its words: `C++`, `--flag`, `.env`."""
        return not (is_word_character(self.text[0]) and is_word_character(self.text[-1]))

    @property
    def long(self) -> bool:
        return len(self.text) >= _TRIGRAM


def parse_query(text: str) -> Query:
    """Plain words, all of which must be there, and phrases in double quotes.

    Raises QueryProblem when there is nothing to search for, or too much.
    """
    if len(text) > LONGEST_QUERY:
        raise QueryProblem(
            f"The query is too long: {len(text):,} characters, at most {LONGEST_QUERY} are allowed.",
            "Search for the two or three words that tell most.",
        )
    terms = _terms(text)
    if any(term.phrase for term in terms):
        terms = [term for term in terms if term.phrase]
    if not terms:
        raise QueryProblem("The query holds no words.", "Search for one or two words, or a phrase in quotes.")
    if len(terms) > MOST_WORDS:
        raise QueryProblem(
            f"The query holds {len(terms)} words, at most {MOST_WORDS} are allowed.",
            "Search for the two or three words that tell most.",
        )
    plans = dict.fromkeys(plan for plan in (_exact(terms), _loose(terms), _substrings(terms)) if plan)
    needles = dict.fromkeys([term.text for term in terms] + [word for term in terms for word in _words(term.text)])
    return Query(tuple(needles), tuple(plans))


def _terms(text: str) -> list[_Term]:
    found: dict[str, _Term] = {}
    for index, part in enumerate(text.split('"')):
        closed = index % 2 == 1 and index < text.count('"')
        pieces = [part] if closed else [word.lstrip(_OPENING).rstrip(_CLOSING) for word in part.split()]
        for piece in pieces:
            if folded := flat(piece):
                words = _words(piece)
                found[folded] = _Term(folded, _string(" ".join(words)) if words else "", len("".join(words)))
    return list(found.values())


def _words(text: str) -> list[str]:
    """The words as the tokenizer of the index sees them."""
    return "".join(char if is_word_character(char) else " " for char in word_form(text)).split()


def _exact(terms: list[_Term]) -> Plan:
    """Whole words; what has symbols at its ends must stand there as it was typed."""
    words = [term.phrase for term in terms if term.phrase and not (term.edged and term.long)]
    trigrams = [_string(term.text) for term in terms if term.edged and term.long]
    contains = tuple(term.text for term in terms if term.edged and not term.long)
    return Plan(_all(words), _all(trigrams), contains)


def _loose(terms: list[_Term]) -> Plan | None:
    """The words alone, where they are long enough to say something."""
    if any(not term.phrase or (term.edged and term.core < _TRIGRAM) for term in terms):
        return None
    return Plan(words=_all([term.phrase for term in terms]))


def _substrings(terms: list[_Term]) -> Plan | None:
    """Parts of words: `constraint` in `constraints`."""
    if not any(term.long for term in terms):
        return None
    words = [term.phrase for term in terms if not term.long and term.phrase]
    contains = tuple(term.text for term in terms if not term.long and term.edged)
    return Plan(_all(words), _all([_string(term.text) for term in terms if term.long]), contains, ranked=False)


def _all(strings: list[str]) -> str:
    return " AND ".join(dict.fromkeys(strings))


def _string(text: str) -> str:
    """An FTS5 string: nothing in it is syntax."""
    return '"' + text.replace('"', '""') + '"'
