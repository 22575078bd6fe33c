"""Longer checks over several environments: nox -s tests, oldest, wheel, pure or sanitize."""

import pathlib
import shutil
import subprocess

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
    # matplotlib 3.8 warns of what newer releases of pyparsing deprecate.
    old = ["numpy==1.26.*", "scikit-learn==1.4.*", "matplotlib==3.8.*", "pyparsing<3.2"]
    session.install(".[plot]", *GROUP, *old)
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


@nox.session
def sanitize(session: nox.Session) -> None:
    """Fuzz the boundary of the native modules, built with AddressSanitizer and UBSan (GCC on Linux)."""
    build = pathlib.Path("build") / "sanitize"
    session.install(
        ".",
        "--config-settings=cmake.define.DILEMMA_SANITIZE=ON",
        f"--config-settings=build-dir={build}",
        "--config-settings=install.strip=false",
        env={"DILEMMA_REQUIRE_NATIVE": "1"},
    )
    env = {
        # Python itself is built without: their run time comes first, and the C++ library beside it, or
        # exceptions are not followed. What Python never frees is no leak of ours.
        "LD_PRELOAD": " ".join(_library(name) for name in ("libasan.so", "libubsan.so", "libstdc++.so.6")),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONMALLOC": "malloc",
    }
    fuzz = session.posargs or ["--rounds", "5000"]
    session.run("python", "tests/property/native_boundary.py", "--sanitized", *fuzz, env=env)


def _library(name: str) -> str:
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def _install_wheel(session: nox.Session, env: dict[str, str]) -> None:
    out = pathlib.Path(session.create_tmp()) / "wheel"
    shutil.rmtree(out, ignore_errors=True)
    session.run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), ".", env=env)
    (built,) = out.glob("*.whl")
    session.install(f"{built}[sklearn,plot]", *GROUP)
