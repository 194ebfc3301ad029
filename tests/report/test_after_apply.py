"""The page that an apply writes."""

from __future__ import annotations

from dlfix.config import Settings
from dlfix.report import html
from dlfix.report.view import View
from dlfix.session import Session

LOADER = (
    "from torch.utils.data import DataLoader\n\n\n"
    "def make(rows):\n    return DataLoader(rows, num_workers=2, collate_fn=lambda b: b[0])\n"
)


def test_what_is_sent_is_drawn_as_it_is_after_the_fixes(tmp_path):
    (tmp_path / "a.py").write_text(LOADER)
    session = Session.open([tmp_path], Settings())
    outcome = session.rewrite()
    page = html.render(View(session, outcome.left, outcome.project), outcome)
    picture = page[page.index('<section id="boundaries">') :]
    assert "_collate_fn" in picture[: picture.index("</section>")]
    assert "culprit" not in picture
