"""A long answer, for seeing how a terminal copes with one."""

from __future__ import annotations

from keen_tui.gateway.demo_request import DemoRequest
from keen_tui.gateway.demo_step import INTRODUCTION, Step

_ANSWER = """\
# A long answer

{introduction} Nothing below is about your workspace: it is here to be looked at while it streams.

## Prose

Text wraps at the width of the pane, with **bold**, *italic*, `code`, ~~struck~~ and [links](https://example.org).
Wide characters keep the borders where they are: 日本語のテキスト, 한국어 문장, 中文句子,
and signs such as ① ± … — “quotes”.
Emoji too: 🎉 🚀 👩‍👩‍👧 1️⃣ 🇯🇵 ❤️ 👍🏽.

> A quotation stands apart,
> and may run over several lines.

1. First
2. Second
   - with a point below
   - and another, ログイン
3. Third

- [x] a finished item
- [ ] an open one

## Tables

| language | greeting | width |
|:--|:-:|--:|
| English | Hello | 5 |
| 日本語 | こんにちは | 10 |
| 한국어 | 안녕하세요 | 10 |
| Ελληνικά | Γειά σου | 8 |
| emoji | 👋🌍 | 4 |

| sign | name |
|---|---|
| `[/]` | looks like markup and is none |
| `[b + c` | an open bracket |
| `arr[0][/tmp]` | brackets in brackets |

## Code

```python
from collections.abc import Iterator


def primes(limit: int) -> Iterator[int]:
    \"\"\"All primes below `limit`, smallest first.\"\"\"
    composite = bytearray(limit)
    for number in range(2, limit):
        if not composite[number]:
            yield number
            composite[number * number :: number] = b"\\x01" * len(composite[number * number :: number])
```

```rust
fn main() {{
    let total: u64 = (1..=10).filter(|n| n % 2 == 0).sum();
    println!("{{total}}"); // 30
}}
```

```javascript
const greet = async (name = "世界") => `Hello, ${{name}}!`;
greet().then(console.log);
```

```bash
for file in *.md; do
    printf '%s\\n' "${{file%.md}}"
done
```

```diff
--- a/colours.txt
+++ b/colours.txt
@@ -1,2 +1,2 @@
-red
+green
 blue
```

```json
{{"name": "keen", "panes": ["Conversation", "Tools", "Brief", "Memory", "Context"], "count": 5}}
```

A line that is longer than any terminal is wide: {line}

## Counting

{counting}

That is the end of the long answer. ✅
"""
_COUNTED = 60


def long_answer(request: DemoRequest) -> Step:
    """Prose, lists, tables, wide characters and code in several languages, some 250 lines."""
    line = "-".join(f"{number:03d}" for number in range(1, 81))
    counting = "\n".join(f"- {number} squared is {number * number}" for number in range(1, _COUNTED + 1))
    return Step(_ANSWER.format(introduction=INTRODUCTION, line=line, counting=counting))
