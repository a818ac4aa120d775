"""The dashboard, built on Textual. The only place that imports Textual or Rich."""
