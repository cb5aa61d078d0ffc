"""Every exception that tablehound raises, as one tree.

TablehoundError
├── UsageError             the call itself is wrong (exit code 2)
│   ├── SettingError       a setting has a value it cannot have
│   └── PatternError       a pattern the linear-time engine refuses
├── SourceError            one source cannot be read; the run goes on
│   ├── SourceMissingError     no such file, folder or URL
│   ├── UnsupportedSourceError no reader for it (binary, encrypted, unknown)
│   └── BrokenSourceError      damaged, truncated, or beyond a limit
│       └── LossRefusedError       readable, but not without loss, in strict mode
├── LakeError              the lake folder
│   ├── LakeMissingError
│   ├── LakeVersionError
│   ├── LakeBusyError
│   ├── LakeDamagedError       a part of it is not as it was written
│   └── TableMissingError
├── ProgramError           a program was refused
│   └── ProgramRefusedError    not a single read-only statement
└── BackboneError          the model behind a backbone
    ├── BackboneUnavailableError  server down, slow, or cut off
    ├── BackboneReplyError        a reply that could not be understood
    ├── BudgetExhaustedError      no steps, tokens or seconds left
    └── MissingExtraError         an optional dependency is not installed
"""

from __future__ import annotations


class TablehoundError(Exception):
    """Base of all. ``str(error)`` says what happened and where; ``remedy`` says what to do, if anything can be done."""

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class UsageError(TablehoundError):
    """The call itself is wrong."""


class SettingError(UsageError):
    """A setting has a value it cannot have."""


class PatternError(UsageError):
    """A pattern that the linear-time engine refuses: syntax, look-around, back-references, or too large."""

    def __init__(self, message: str, *, pattern: str, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.pattern = pattern


class SourceError(TablehoundError):
    """One source cannot be read. ``where`` is file, then sheet, row and column as far as known."""

    def __init__(self, message: str, *, where: str = "", remedy: str | None = None) -> None:
        super().__init__(f"{where}: {message}" if where else message, remedy=remedy)
        self.where = where


class SourceMissingError(SourceError):
    """No such file, folder or URL."""


class UnsupportedSourceError(SourceError):
    """There is no reader for this source: binary, encrypted, or of an unknown format."""


class BrokenSourceError(SourceError):
    """The source is damaged, truncated, or beyond a limit."""


class LossRefusedError(BrokenSourceError):
    """The source could be read, but not without loss, which strict mode does not allow."""


class LakeError(TablehoundError):
    """The lake folder cannot be used."""


class LakeMissingError(LakeError):
    """There is no lake at the path."""


class LakeVersionError(LakeError):
    """The lake was written by a version whose format this one does not read."""


class LakeBusyError(LakeError):
    """Another process is indexing into the lake."""


class LakeDamagedError(LakeError):
    """A part of the lake is not as it was written. The message names the part."""


class TableMissingError(LakeError):
    """The lake has no table of that id."""


class ProgramError(TablehoundError):
    """A program was refused. ``program`` is its text."""

    def __init__(self, message: str, *, program: str = "", remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.program = program


class ProgramRefusedError(ProgramError):
    """Not a single read-only statement."""


class BackboneError(TablehoundError):
    """The model behind a backbone failed."""


class BackboneUnavailableError(BackboneError):
    """The server is down, slow, or cut off."""


class BackboneReplyError(BackboneError):
    """A reply that could not be understood, also after one repair."""


class BudgetExhaustedError(BackboneError):
    """No steps, tokens or seconds are left."""


class MissingExtraError(BackboneError):
    """An optional dependency is not installed."""
