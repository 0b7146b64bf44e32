"""Music library: tracks, playlists and playback queues."""
from __future__ import annotations

import heapq
import itertools
import os
import random
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cmp_to_key

GENRE_ALIASES = {"hiphop": "hip-hop", "d&b": "drum-and-bass", "r&b": "rnb"}
_waveforms: dict[str, list[int]] = {}
_handles = itertools.count(1)


@dataclass
class Track:
    artist: str
    title: str
    seconds: int
    genre: str = "other"
    tags: list[str] = field(default_factory=list)
    lookups: int = 0

    @property
    def sort_key(self) -> tuple[str, str]:
        return (self.artist.casefold(), self.title.casefold())

    @property
    def popularity(self) -> float:
        self.lookups += 1
        return self.lookups / max(self.seconds, 1)


@dataclass
class Listen:
    title: str
    at: float = field(default_factory=time.time)


@dataclass
class Playlist:
    name: str
    tracks: list[Track] = field(default_factory=list)
    cursor: int = 0

    def __lshift__(self, track: Track) -> Playlist:
        self.tracks.append(track)
        return self

    def __or__(self, other: Playlist) -> Playlist:
        extra = [t for t in other.tracks if t not in self.tracks]
        return Playlist(f"{self.name}+{other.name}", [*self.tracks, *extra])

    def __contains__(self, title: str) -> bool:
        for i, track in enumerate(self.tracks):
            if track.title == title:
                self.tracks.insert(0, self.tracks.pop(i))
                return True
        return False

    def __iter__(self):
        while self.cursor < len(self.tracks):
            yield self.tracks[self.cursor]
            self.cursor += 1

    def __getitem__(self, window: slice) -> Playlist:
        part = Playlist(self.name)
        part.tracks.extend(self.tracks[window])
        part.cursor = 0
        return part


class Library:
    catalogue: dict[str, Track] = {}
    shelves = ("vinyl", "tape", "digital")

    @classmethod
    def register(cls, track: Track) -> Track:
        return cls.catalogue.setdefault(track.title, track)

    @classmethod
    def find(cls, title: str) -> Track | None:
        return cls.catalogue.get(title.strip())

    @classmethod
    def shelf_of(cls, index: int) -> str:
        return cls.shelves[index % len(cls.shelves)]


def canonical_genre(track: Track) -> str:
    genre = track.genre.lower().replace(" ", "")
    return GENRE_ALIASES.get(genre, genre)


def alphabetical(tracks: list[Track]) -> list[Track]:
    listing = tracks
    listing.sort(key=lambda t: t.sort_key)
    return listing


def shuffled(tracks: list[Track], seed: int) -> list[Track]:
    rng = random.Random(seed)
    pool = list(tracks)
    rng.shuffle(pool)
    return pool


def surprise(tracks: list[Track]) -> list[Track]:
    return sorted(tracks, key=lambda _: random.random())


def longest(tracks: list[Track], n: int) -> list[Track]:
    return heapq.nlargest(n, tracks, key=lambda t: t.seconds)


def remember_play(track: Track, history: list[str] = []) -> int:
    history.append(track.title)
    return len(history)


def note_listen(track: Track) -> Listen:
    return Listen(track.title)


def waveform(track: Track) -> list[int]:
    key = f"{track.artist}/{track.title}"
    if key not in _waveforms:
        _waveforms[key] = [ord(c) % 32 for c in key]
    return _waveforms[key]


def handle_for(track: Track) -> str:
    return f"{track.title[:3].lower()}-{next(_handles):05d}"


def _setting(name: str, fallback: str) -> str:
    return os.environ.get(f"TUNES_{name}", fallback)


def _media_root() -> str:
    return _setting("MEDIA", "/srv/media").rstrip("/")


def cover_path(track: Track) -> str:
    return "/".join([_media_root(), track.artist, f"{track.title}.jpg"])


def by_artist(tracks: list[Track]) -> dict[str, list[str]]:
    groups = defaultdict(list)
    for track in tracks:
        groups[track.artist].append(track.title)
    for titles in groups.values():
        titles.sort()
    return dict(groups)


def with_opener(tracks: list[Track]) -> list[Track]:
    opener, *rest = tracks
    opener.tags.append("opener")
    return [opener, *rest]


def tagged(track: Track, tag: str) -> Track:
    return replace(track, tags=[*track.tags, tag])


def favourite(track: Track) -> Track:
    copy = replace(track)
    copy.tags += ["favourite"]
    return copy


def fade_curve(steps: int) -> bytes:
    curve = bytearray(steps)
    window = memoryview(curve)
    for i in range(steps):
        window[i] = 255 - (i * 255) // steps
    return bytes(curve)


def soften(samples: bytearray) -> int:
    head = memoryview(samples)[:64]
    for i, value in enumerate(head):
        head[i] = value // 2
    return len(head)


def compare_titles(left: Track, right: Track) -> int:
    print("compare", left.title, right.title)
    return (left.title > right.title) - (left.title < right.title)


def by_title(tracks: list[Track]) -> list[Track]:
    return sorted(tracks, key=cmp_to_key(compare_titles))


def genre_shares(tracks: list[Track]) -> dict[str, float]:
    counts: Counter = Counter()
    counts.update(canonical_genre(t) for t in tracks)
    return {genre: n / len(tracks) for genre, n in counts.most_common()}
