"""Nothing that is typed can break the syntax of the index, and code, accents and CJK are found."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from keen_tui.domain.folding import flat, fold, places, word_form
from keen_tui.store.search_query import LONGEST_QUERY, MOST_WORDS, QueryProblem, parse_query

TEXT = st.text(st.one_of(st.characters(), st.sampled_from(list("\"'*^-+:(){}[]NEARANDOR \0\ud800é認🎉"))), max_size=60)


def tables() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE w USING fts5(t, content='', tokenize=\"unicode61 tokenchars '_'\")")
    db.execute("CREATE VIRTUAL TABLE g USING fts5(t, content='', tokenize='trigram')")
    return db


def matches(query: str, text: str) -> bool:
    """Whether one text, indexed as the store does it, matches a query."""
    db = tables()
    db.execute("INSERT INTO w(rowid, t) VALUES (1, ?)", (word_form(text),))
    db.execute("INSERT INTO g(rowid, t) VALUES (1, ?)", (flat(text),))
    for plan in parse_query(query).plans:
        found = all(part in fold(text) for part in plan.contains)
        for table, expression in (("w", plan.words), ("g", plan.trigrams)):
            if expression:
                found = found and bool(
                    db.execute(f"SELECT 1 FROM {table} WHERE {table} MATCH ?", (expression,)).fetchall()
                )
        if found:
            return True
    return False


@settings(max_examples=300, deadline=None)
@given(TEXT)
@example('"')
@example('a"b"c')
@example('NEAR("a b", 5) OR NOT -x:y* ^z')
@example("\ud800\udc00")
def test_every_text_is_a_query_or_a_clear_sentence(text: str) -> None:
    try:
        query = parse_query(text)
    except QueryProblem as problem:
        assert problem.message.endswith(".") and problem.hint
        return
    assert query.plans and query.needles
    db = tables()
    for plan in query.plans:
        assert plan.words or plan.trigrams or plan.contains
        for table, expression in (("w", plan.words), ("g", plan.trigrams)):
            if expression:
                db.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (expression,)).fetchall()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12), min_size=1, max_size=8))
def test_a_text_is_found_by_each_of_its_words(words: list[str]) -> None:
    text = f"before {' '.join(words)} behind"
    for word in words:
        if flat(word):
            assert matches(word, text)


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("C++", "we write C++, not Rust", True),
        ("C++", "we write C only", False),
        ("C#", "in C# then", True),
        ("C#", "in C then", False),
        ("foo_bar", "call foo_bar()", True),
        ("foo_bar", "call foo and bar", False),
        ("--flag", "run it with --flag", True),
        ("src/a.py:12", "see src/a.py:12.", True),
        ("a.py", "see src/a.py:12", True),
        (".env", "never read .env files", True),
        ("->", "f(x) -> y", True),
        ("cafe", "the CAFÉ is open", True),
        ("naïve", "a naive way", True),
        ("认证", "保持认证流程不变", True),
        ("證認", "保持認證流程不變", False),
        ("認証", "認証フローを変えない", True),
        ("인증", "인증을 바꾸지 마세요", True),
        ("🎉", "done🎉", True),
        ("👩‍💻", "hello 👩‍💻 there", True),
        ("constraint", "all constraints", True),
        ('"auth flow"', "the auth flow stays", True),
        ('"flow auth"', "the auth flow stays", False),
        ("flow auth", "the auth flow stays", True),
        ("flow, auth!", "the auth flow stays", True),
        ("AND", "this and that", True),
        ("NEAR(", "it is near", True),
        ("text:foo", "say text foo", True),
    ],
)
def test_what_a_person_types_means_what_it_says(query: str, text: str, found: bool) -> None:
    assert matches(query, text) is found


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        '"',
        '""',
        "\0",
        "...",
        "x" * (LONGEST_QUERY + 1),
        "w " * 3 + " ".join(map(str, range(MOST_WORDS + 1))),
    ],
)
def test_a_query_that_can_not_be_answered_gets_a_sentence(query: str) -> None:
    with pytest.raises(QueryProblem) as caught:
        parse_query(query)
    assert caught.value.message.startswith("The query")
    assert caught.value.hint


@settings(max_examples=200, deadline=None)
@given(TEXT, TEXT)
def test_the_place_of_a_needle_is_a_place_in_the_text(text: str, needle: str) -> None:
    for start, end in places(text, fold(needle)):
        assert 0 <= start < end <= len(text)
        assert fold(needle) in fold(text[start:end])
