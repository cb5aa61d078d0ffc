"""One question with all that answering it takes, as every method and step gets it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablehound.backbone.protocol import Backbone
from tablehound.settings import Settings, Task

if TYPE_CHECKING:
    from tablehound.lake import Lake


@dataclass(frozen=True, slots=True)
class Asked:
    """A question or claim, the lake it is asked of, what decides, and the options."""

    question: str
    task: Task
    lake: Lake
    backbone: Backbone
    settings: Settings

    @property
    def max_steps(self) -> int:
        """Calls of the backbone that it may cost."""
        return self.settings.seek.max_steps

    def within(self, max_steps: int) -> Asked:
        """The same with another budget of steps."""
        seek = dataclasses.replace(self.settings.seek, max_steps=max_steps)
        return dataclasses.replace(self, settings=dataclasses.replace(self.settings, seek=seek))
