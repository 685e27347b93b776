"""A small library of our own, and clients that lead to it and to a scripted LLM."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from citeloom.settings import Settings
from state.paper import Author, Paper
from tests.fakes.openai_server import OpenAIServer, Script
from tools.clients import Clients
from tools.context import RunContext
from tools.embed.open import embedder
from tools.library.open import close_libraries, create_library

ABSTRACT = (
    "Bees navigate over long distances, yet the cues they use remain disputed. We propose a model of "
    "bee navigation that combines path integration with visual landmarks. We test the model with "
    "harmonic radar tracks of displaced honey bees. The results show that landmark memory corrects "
    "the drift of path integration."
)
_BODIES = {
    "p1": (2001, "Path integration in desert ants", "The authors present a model of path integration in desert ants. The model sums steps and headings into a home vector. Experiments show that the home vector drifts with distance."),
    "p2": (2005, "Landmark learning in honey bees", "The paper shows that honey bees learn visual landmarks near the hive. Bees were displaced and filmed at the feeder. The results indicate that landmarks outweigh odour for navigation."),
    "p3": (2008, "Harmonic radar tracks of bee flight", "We track honey bees with harmonic radar over several hundred metres. The tracks reveal straight flights after displacement. The method cannot follow bees below the canopy."),
    "p4": (2011, "A cognitive map in honey bees", "We propose that honey bees build a cognitive map for navigation. Displaced bees took novel shortcuts in radar tracks. The findings suggest that bees relate landmarks to each other."),
    "p5": (2013, "Polarised light as a compass of insects", "This study examines polarised skylight as a compass for insect navigation. The method records neurons of the central complex. The results show that headings are coded relative to the sun."),
    "p6": (2015, "Optic flow and the distance that bees dance", "The authors show that honey bees measure distance by optic flow. Bees flew through patterned tunnels and danced for too long distances. The study depends on artificial tunnels."),
    "p7": (2018, "A neural model of path integration in bees", "We present a neural model of path integration in the central complex of bees. The model integrates optic flow and polarised light. Simulations show that it steers bees home."),
    "p8": (2020, "Drift correction by landmarks in insect models", "The paper introduces a model in which landmark memory corrects path integration. It is tested on simulated insects. The results show that the correction bounds the drift."),
    "p9": (2022, "Bee navigation in farmed landscapes", "This study compares bee navigation in hedged and open landscapes. Radar tracks of displaced bees were recorded on farms. The results indicate that linear landmarks guide homing."),
    "p10": (2016, "Soil carbon under no-till farming", "We measure soil carbon under no-till farming on twelve sites. Cores were taken to one metre. The results show small gains near the surface."),
}  # fmt: skip
_REFERENCES = {
    "p4": ("p2", "p3"),
    "p7": ("p1", "p5", "p6"),
    "p8": ("p1", "p2", "p7"),
    "p9": ("p3", "p4", "p8"),
}


def bee_papers() -> list[Paper]:
    """Ten papers written for these tests."""
    return [
        Paper(
            id=f"local:{key}", title=title, abstract=body, year=year,
            authors=(Author(name=f"Ada {chr(64 + place)}berg"), Author(name="Bo Lund"), Author(name="Cy Moss")),
            venue="Journal of Test Biology",
            references=tuple(f"local:{cited}" for cited in _REFERENCES.get(key, ())),
        )
        for place, (key, (year, title, body)) in enumerate(_BODIES.items(), start=1)
    ]  # fmt: skip


@pytest.fixture(scope="session")
def bee_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with the library 'bees', built once."""
    home = tmp_path_factory.mktemp("bees")
    create_library("bees", Settings(home=home, _env_file=None), embedder()).add(bee_papers())  # type: ignore[call-arg]
    yield home
    close_libraries()


@pytest.fixture
def extractive(bee_home: Path) -> RunContext:
    """A context in which the embedded engine answers."""
    return context_for(Settings(home=bee_home, _env_file=None))  # type: ignore[call-arg]


def context_for(settings: Settings, **options: object) -> RunContext:
    """Return a context whose clients have these settings."""
    context = RunContext(**options)  # type: ignore[arg-type]
    vars(context)["clients"] = Clients(settings)  # where cached_property looks first
    return context


@pytest.fixture
def llm_settings(bee_home: Path, tmp_path: Path) -> Settings:
    """Settings for an LLM whose address a test fills in; answers are cached per test."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "libraries").symlink_to(bee_home / "libraries")
    return Settings(
        home=home, llm_api_key=SecretStr("sk-test"), strong_model="scripted", llm_timeout=10.0, _env_file=None
    )  # type: ignore[call-arg]  # fmt: skip


class Scripted:
    """A scripted LLM and a context that leads to it."""

    def __init__(self, script: Script, settings: Settings, **options: object) -> None:
        self.server = OpenAIServer(script)
        self._settings = settings
        self._options = options

    def __enter__(self) -> "Scripted":
        self.server.__enter__()
        url = self.server.url
        self.context = context_for(
            self._settings.model_copy(update={"llm_base_url": url}), **self._options
        )
        return self

    def __exit__(self, *details: object) -> None:
        self.server.__exit__(None, None, None)
