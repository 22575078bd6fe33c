"""Longer checks over several environments: nox -s tests, oldest, wheel or pure."""

import pathlib
import shutil

import nox

nox.options.sessions = ["tests", "wheel", "pure"]
GROUP = nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "test")


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """The suite on every supported Python that is installed."""
    session.install(".[sklearn,plot]", *GROUP)
    session.run("pytest", *session.posargs)


@nox.session
def oldest(session: nox.Session) -> None:
    """The suite on the oldest supported dependencies."""
    session.install(".[plot]", *GROUP, "numpy==1.26.*", "scikit-learn==1.4.*", "matplotlib==3.8.*")
    session.run("pytest", *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    """Build a wheel, install it with nothing else of the repo, and run the suite against it."""
    _install_wheel(session, {"DILEMMA_REQUIRE_NATIVE": "1"})
    session.run("dilemma", "info")
    session.run("pytest", "tests", *session.posargs)


@nox.session
def pure(session: nox.Session) -> None:
    """The same without the native kernels, as on a machine that has no compiler."""
    _install_wheel(session, {"CXX": "/nonexistent", "CC": "/nonexistent"})
    session.run("dilemma", "info")
    session.run("pytest", "tests", *session.posargs)


def _install_wheel(session: nox.Session, env: dict[str, str]) -> None:
    out = pathlib.Path(session.create_tmp()) / "wheel"
    shutil.rmtree(out, ignore_errors=True)
    session.run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), ".", env=env)
    (built,) = out.glob("*.whl")
    session.install(f"{built}[sklearn,plot]", *GROUP)
