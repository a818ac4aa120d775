"""The schema, as numbered steps. PRAGMA user_version says how many a database has had."""

from __future__ import annotations

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE tasks (
            id TEXT PRIMARY KEY,
            workspace TEXT NOT NULL,
            title TEXT NOT NULL DEFAULT '',
            model TEXT NOT NULL,
            mode TEXT NOT NULL,
            replay TEXT NOT NULL DEFAULT '',
            draft TEXT NOT NULL DEFAULT '',
            turns INTEGER NOT NULL DEFAULT 0,
            created REAL NOT NULL,
            updated REAL NOT NULL,
            touch INTEGER NOT NULL
        )
        """,
        "CREATE INDEX tasks_by_touch ON tasks (touch)",
        "CREATE INDEX tasks_by_workspace ON tasks (workspace, touch)",
        """
        CREATE TABLE comments (
            task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
            id INTEGER NOT NULL,
            author TEXT NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            time REAL NOT NULL,
            PRIMARY KEY (task_id, id)
        )
        """,
        """
        CREATE TABLE brief_revisions (
            task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
            revision INTEGER NOT NULL,
            author TEXT NOT NULL,
            movement TEXT NOT NULL,
            fields TEXT NOT NULL,
            before TEXT NOT NULL,
            after TEXT NOT NULL,
            time REAL NOT NULL,
            PRIMARY KEY (task_id, revision)
        )
        """,
        """
        CREATE TABLE usage (
            task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
            turn TEXT NOT NULL,
            model TEXT NOT NULL,
            input_tokens INTEGER NOT NULL,
            output_tokens INTEGER NOT NULL,
            cached_tokens INTEGER NOT NULL,
            cost REAL,
            time REAL NOT NULL
        )
        """,
        "CREATE INDEX usage_by_task ON usage (task_id)",
        """
        CREATE TABLE prompt_history (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            workspace TEXT NOT NULL,
            text TEXT NOT NULL,
            time REAL NOT NULL
        )
        """,
        "CREATE INDEX prompt_history_by_workspace ON prompt_history (workspace, id)",
    ),
    (
        """
        CREATE TABLE search_tasks (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            task_id TEXT NOT NULL UNIQUE REFERENCES tasks (id) ON DELETE CASCADE,
            bytes INTEGER NOT NULL DEFAULT 0,
            lines INTEGER NOT NULL DEFAULT 0,
            skipped INTEGER NOT NULL DEFAULT 0
        )
        """,
        """
        CREATE TABLE search_entries (
            id INTEGER PRIMARY KEY,
            task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
            source TEXT NOT NULL,
            number INTEGER NOT NULL,
            author TEXT NOT NULL,
            kind TEXT NOT NULL,
            time REAL NOT NULL,
            comment INTEGER NOT NULL,
            text TEXT NOT NULL,
            UNIQUE (task_id, source, number)
        )
        """,
        "CREATE TABLE search_state (version INTEGER NOT NULL)",
    ),
)
"""Step n brings a database of version n - 1 to version n, in one transaction."""

VERSION = len(MIGRATIONS)
