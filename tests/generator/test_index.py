"""Configuration of pip, and files on a package index."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.headers import HeaderError, Registry, resolve
from generator.headers.cache import Cache
from generator.headers.records import Available, Build, Wheel
from generator.headers.releases import releases
from generator.headers.web.pip import PipSettings, default_index, read_settings
from tests.generator.wheelhouse import ARM, LINUX, WINDOWS, House, wheel_bytes

# pip's settings


@pytest.fixture
def pip_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's configuration file of pip's, in a home of its own, with no variables set."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "etc"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "config"))
    path = tmp_path / "config" / "pip" / ("pip.ini" if sys.platform == "win32" else "pip.conf")
    path.parent.mkdir(parents=True)
    return path


def only(path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> PipSettings:
    """The settings that `text` makes, with no other file of pip's in sight."""
    path.write_text(text)
    monkeypatch.setattr("generator.headers.web.pip._files", lambda _: [path])
    return read_settings()


def test_without_configuration_there_is_one_index(
    pip_config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert only(pip_config, "", monkeypatch) == PipSettings(indexes=(default_index(),))


def test_everything_that_decides_where_packages_come_from(
    pip_config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
[global]
index-url = https://one.example/simple/
extra_index_url =
    https://two.example/simple
    https://three.example/simple
find-links = /wheels https://four.example/page.html
cert = /ca.pem
client-cert = /me.pem
proxy = http://proxy.example:3128
timeout = 60
trusted-host = one.example two.example:8443
"""
    assert only(pip_config, text, monkeypatch) == PipSettings(
        indexes=(
            "https://one.example/simple",
            "https://two.example/simple",
            "https://three.example/simple",
        ),
        find_links=("/wheels", "https://four.example/page.html"),
        cert="/ca.pem",
        client_cert="/me.pem",
        proxy="http://proxy.example:3128",
        timeout=60.0,
        trusted_hosts=("one.example", "two.example:8443"),
    )


def test_the_section_of_a_command_wins_over_the_global_one(
    pip_config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "[install]\nindex-url = https://b\n[global]\nindex-url = https://a\n"
    assert only(pip_config, text, monkeypatch).indexes == ("https://b",)
    text += "[download]\nindex-url = https://c\n"
    assert only(pip_config, text, monkeypatch).indexes == ("https://c",)


def test_an_empty_value_is_none(pip_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "[global]\nindex-url = https://a\n[install]\nindex-url =\n"
    assert only(pip_config, text, monkeypatch).indexes == ("https://a",)


def test_variables_win_over_files(pip_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://variable")
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "3")
    settings = only(pip_config, "[global]\nindex-url = https://a\ntimeout = 9\n", monkeypatch)
    assert (settings.indexes, settings.timeout) == (("https://variable",), 3.0)


def test_no_index_leaves_the_folders(pip_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    settings = only(pip_config, "[global]\nfind-links = /wheels\n", monkeypatch)
    assert (settings.indexes, settings.find_links) == ((), ("/wheels",))


@pytest.mark.parametrize("text", ["index-url = x\n", "[global\n", "[global]\ntimeout = soon\n"])
def test_a_broken_configuration_is_named(
    pip_config: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    with pytest.raises(HeaderError, match=r"pip\.(conf|ini)|pip's timeout"):
        only(pip_config, text, monkeypatch)


@pytest.mark.parametrize("chosen", [False, True], ids=["files", "PIP_CONFIG_FILE"])
def test_pip_looks_in_the_same_places(
    pip_config: Path, tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch, chosen: bool
) -> None:
    pytest.importorskip("pip", reason="pip is not installed")
    shared = tmp_path / "etc" / "pip" / pip_config.name
    shared.parent.mkdir(parents=True)
    shared.write_text(f"[global]\nindex-url = {house.url}/shared\nfind-links = {shared.parent}\n")
    pip_config.write_text(
        f"[global]\nindex-url = {house.url}/users\n[download]\nfind-links = {pip_config.parent}\n"
    )
    explicit = tmp_path / "explicit.conf"
    explicit.write_text(f"[download]\nextra-index-url = {house.url}/a {house.url}/b/\n")
    if chosen:
        monkeypatch.setenv("PIP_CONFIG_FILE", str(explicit))
    # pip says where it looks before it finds that there is no such project.
    command = [sys.executable, "-m", "pip", "download", "cudnn-cffi-no-such-project"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    places = dict(re.findall(r"Looking in (indexes|links): (.*)", answer.stdout))
    ours = read_settings()
    assert ours.indexes == tuple(url.rstrip("/") for url in places["indexes"].split(", "))
    assert ours.find_links == (places["links"],)
    first = "shared" if chosen else "users"  # one that is named replaces the user's own
    assert ours.indexes[0] == f"{house.url}/{first}"


# Pages of an index


def test_a_release_has_the_day_of_its_first_wheel(house: House, registry: Registry) -> None:
    house.form = "json"
    house.add("9.28.0.42", uploaded="2026-11-05T20:00:00.1Z")
    house.add("9.28.0.42", "nvidia-cudnn-cu12", uploaded="2026-11-04T23:59:59Z")
    house.add("9.28.0.40", uploaded="2026-10-30T01:02:03Z")
    house.add("9.27.0.1")
    undated, dated = registry.available()
    assert (undated.date, dated.date) == ("", "2026-10-30")
    assert registry.fetch("9.28.0").date == "2026-10-30"
    assert registry.fetch("9.27.0").date == ""


@pytest.mark.parametrize("form", ["html", "json"])
def test_both_forms_of_an_index_say_the_same(house: House, registry: Registry, form: str) -> None:
    house.form = form
    file = house.add("9.28.0.42")
    house.add("9.25.0.15", yanked="")
    house.add("9.24.0.1", yanked="a reason")
    oldest, yanked, newest = registry.available()
    assert (oldest.yanked, yanked.yanked, newest.yanked) == (True, True, False)
    assert (newest.version, newest.build) == ("9.28.0", "9.28.0.42")
    (wheel,) = newest.wheels
    assert wheel.file == file
    assert wheel.url == f"http://{house.host}/files/a%2Bb/{file}"
    assert wheel.sha256 == house.links["nvidia-cudnn-cu13"][-3].sha256


def test_links_follow_the_base_of_a_page(house: House, registry: Registry) -> None:
    page = (
        '<base href="https://files.example/deep/"><a href="/other">no wheel</a>'
        '<a href="x/nvidia_cudnn_cu12-9.28.0.42-py3-none-win_amd64.whl#md5=0">w</a>'
    )
    house.pages["/simple/nvidia-cudnn-cu12/"] = ("text/html", page.encode())
    (wheel,) = registry.available()[0].wheels
    assert wheel.url.startswith("https://files.example/deep/x/nvidia_cudnn_cu12")
    assert wheel.sha256 == ""


def test_all_projects_and_platforms_of_a_build_come_together_the_best_first(
    house: House, registry: Registry
) -> None:
    house.add("9.28.0.42", "nvidia-cudnn-cu12", platform=LINUX)
    house.add("9.28.0.42", "nvidia-cudnn-cu12", platform=WINDOWS)
    house.add("9.28.0.42", "nvidia-cudnn-cu13", platform=ARM)
    house.add("9.28.0.42", "nvidia-cudnn-cu13", platform=LINUX)
    (release,) = registry.available()
    tails = [wheel.file.removeprefix("nvidia_cudnn_") for wheel in release.wheels]
    assert tails == [
        f"cu13-9.28.0.42-py3-none-{LINUX}.whl",
        f"cu12-9.28.0.42-py3-none-{LINUX}.whl",
        f"cu13-9.28.0.42-py3-none-{ARM}.whl",
        f"cu12-9.28.0.42-py3-none-{WINDOWS}.whl",
    ]


def test_a_newer_build_replaces_an_older_one_but_a_repackaged_one_does_not(
    house: House, registry: Registry
) -> None:
    house.add("8.9.4.25")
    house.add("8.9.4.19", platform=WINDOWS)
    house.add("9.0.0.312")
    house.add("9.0.0.312.post1", platform=ARM)
    first, second = registry.available()
    assert (first.build, [build.build for build in first.older]) == ("8.9.4.25", ["8.9.4.19"])
    assert (second.build, second.older) == ("9.0.0.312", ())
    assert second.wheels[0].file.endswith(f"9.0.0.312-py3-none-{LINUX}.whl")


def test_pre_releases_source_archives_and_other_projects_are_left_out(
    house: House, registry: Registry
) -> None:
    house.add("9.28.0.42")
    house.add("9.29.0.1.dev5")
    house.add("0.0.0a0")
    links = house.links["nvidia-cudnn-cu13"]
    links.append(type(links[0])("nvidia-cudnn-cu13-9.99.0.1.tar.gz", ""))
    links.append(type(links[0])("nvidia_cudnn_frontend-1.0.0.1-py3-none-any.whl", ""))
    links.append(type(links[0])("not a wheel name.whl", ""))
    assert [release.build for release in registry.available()] == ["9.28.0.42"]


def test_a_folder_of_wheels_needs_no_index(tmp_path: Path, cache: Cache) -> None:
    name = f"nvidia_cudnn_cu12-9.1.0.70-py3-none-{LINUX}.whl"
    headers = {
        "cudnn.h": b"#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 1\n#define CUDNN_PATCHLEVEL 0\n"
    }
    (tmp_path / name).write_bytes(wheel_bytes("nvidia-cudnn-cu12", "9.1.0.70", headers))
    for place in (str(tmp_path), tmp_path.as_uri(), str(tmp_path / name)):
        with Registry(cache=cache, settings=PipSettings((), (place,))) as registry:
            assert registry.fetch("9.1.0", refresh=True).build == "9.1.0.70"
            assert registry.received == 0


def test_a_page_of_links_need_not_be_an_index(house: House, cache: Cache) -> None:
    house.add("9.28.0.42")
    settings = PipSettings((), (f"{house.url}/nvidia-cudnn-cu13/",))
    with Registry(cache=cache, settings=settings) as registry:
        assert registry.fetch("latest").build == "9.28.0.42"


def test_an_index_may_be_a_folder(tmp_path: Path, cache: Cache) -> None:
    name = f"nvidia_cudnn_cu12-9.1.0.70-py3-none-{LINUX}.whl"
    project = tmp_path / "simple" / "nvidia-cudnn-cu12"
    project.mkdir(parents=True)
    (project / "index.html").write_text(f'<a href="../../files/{name}">{name}</a>')
    settings = PipSettings(((tmp_path / "simple").as_uri(),))
    with Registry(cache=cache, settings=settings) as registry:
        (release,) = registry.available()
    assert release.wheels[0].url == (tmp_path / "files" / name).as_uri()


def test_the_wheel_on_this_machine_is_preferred(house: House, tmp_path: Path, cache: Cache) -> None:
    house.add("9.28.0.42", "nvidia-cudnn-cu13")
    name = house.add("9.28.0.42", "nvidia-cudnn-cu12")
    (tmp_path / name).write_bytes(house.files[name])
    settings = PipSettings((house.url,), (str(tmp_path),))
    with Registry(cache=cache, settings=settings) as registry:
        (release,) = registry.available()
    assert release.wheels[0].url == (tmp_path / name).as_uri()
    assert len(release.wheels) == 2


# Indexes that will not do


NOBODY = "http://127.0.0.1:9"  # no server is there


def test_an_index_that_cannot_be_reached(house: House, registry: Registry) -> None:
    house.stop()
    with pytest.raises(HeaderError) as error:
        registry.available()
    text = str(error.value)
    assert text.startswith(f"the index http://{house.host}/simple cannot be reached: ")
    assert text.count("refused") == 1
    for remedy in ("pip config list", "index-url", "--headers", "--cuda-headers"):
        assert remedy in text


@pytest.mark.usefixtures("house")
def test_cuda_headers_on_an_index_that_cannot_be_reached(cache: Cache) -> None:
    settings = PipSettings((f"{NOBODY}/simple",))
    with Registry(cache=cache, settings=settings) as registry:
        with pytest.raises(HeaderError) as error:
            registry.cuda_headers()
        with pytest.raises(HeaderError, match=r"^the index .* Releases of cuDNN may be there"):
            registry.fetch("9.28.0")
    text = str(error.value)
    assert text.startswith(f"the index {NOBODY}/simple cannot be reached: ")
    assert text.count("cannot be reached") == 1  # though four projects are looked for
    assert "CUDA's headers may be there. " in text
    assert "--cuda-headers" in text


@pytest.mark.usefixtures("house")
def test_a_server_that_is_down_is_told_once_for_all_its_indexes(cache: Cache) -> None:
    settings = PipSettings((f"{NOBODY}/one", f"{NOBODY}/two"), (f"{NOBODY}/links.html",))
    with (
        Registry(cache=cache, settings=settings) as registry,
        pytest.raises(HeaderError) as error,
    ):
        registry.available()
    assert str(error.value).count(NOBODY) == 1
    assert str(error.value).startswith(f"the page of links {NOBODY}/links.html cannot be reached")


def test_a_release_may_be_on_the_index_that_failed(
    house: House, cache: Cache, caplog: pytest.LogCaptureFixture
) -> None:
    house.add("9.24.0.1")
    settings = PipSettings((f"{NOBODY}/simple", house.url))
    with Registry(cache=cache, settings=settings) as registry:
        for ask in (registry.fetch, registry.resolve):
            with pytest.raises(HeaderError) as error:
                ask("9.28.0")
            text = str(error.value)
            assert text.startswith(f"the index {NOBODY}/simple cannot be reached: ")
            assert f"cuDNN 9.28.0 may be there; in {house.url} it is not" in text
            assert "the nearest are 9.24.0" in text
            assert "there is no cuDNN" not in text
            assert "--headers" in text
    assert caplog.text == ""  # the error says it all


def test_an_old_list_does_not_say_that_there_is_no_newer_release(
    house: House, registry: Registry
) -> None:
    house.add("9.24.0.1")
    registry.available()
    house.stop()
    with pytest.raises(HeaderError, match=r"9\.28\.0 may be there; in the list of releases of 2"):
        registry.fetch("9.28.0")


def test_a_release_that_no_index_has(house: House, registry: Registry) -> None:
    house.add("9.24.0.1")
    with pytest.raises(HeaderError, match=r"there is no cuDNN 9\.28\.0 .*--headers"):
        registry.fetch("9.28.0")
    assert len(house.requests) == 3  # what was asked just now is not asked again


def test_an_index_that_failed_is_asked_again_by_the_next_run(house: House, cache: Cache) -> None:
    house.add("9.28.0.42")
    house.busy = 3
    registry = Registry(cache=cache, settings=PipSettings((house.url,)))
    with registry:
        for _ in range(2):
            with pytest.raises(HeaderError, match="503"):
                registry.available()
    assert len(house.requests) == 3
    with registry:
        assert registry.fetch("9.28.0").build == "9.28.0.42"


def test_an_index_without_cudnn(house: House, registry: Registry) -> None:
    with pytest.raises(HeaderError, match=rf"Looked for nvidia-cudnn-cu13.* in {house.url}"):
        registry.available()


@pytest.mark.parametrize(
    ("kind", "body", "what"),
    [
        ("text/html", b"<form>Please log in</form>", "no link to any package"),
        ("application/json", b"{}", "expected the JSON of a package index"),
        ("application/vnd.pypi.simple.v1+json", b"<html>", "expected the JSON"),
        ("application/vnd.pypi.simple.v1+json", b'{"files": [1]}', "expected the JSON"),
        ("application/pdf", b"%PDF", "got application/pdf"),
    ],
)
def test_what_is_no_page_of_an_index_is_told(
    house: House, registry: Registry, kind: str, body: bytes, what: str
) -> None:
    for project in ("nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"):
        house.pages[f"/simple/{project}/"] = (kind, body)
    with pytest.raises(HeaderError, match=what):
        registry.available()


def test_an_index_with_a_login(house: House, cache: Cache) -> None:
    house.add("9.28.0.42")
    house.login = ("me", "p@ss word")
    with (
        Registry(cache=cache, settings=PipSettings((house.url,))) as registry,
        pytest.raises(HeaderError, match=r"refuses access \(401"),
    ):
        registry.available()
    url = house.url.replace("http://", "http://me:p%40ss%20word@")
    with Registry(cache=cache, settings=PipSettings((url,))) as registry:
        assert registry.fetch("9.28.0").build == "9.28.0.42"
    kept = b"".join(path.read_bytes() for path in cache.folder.iterdir())
    assert b"ss%20word" not in kept


def test_a_password_is_never_shown(house: House, cache: Cache) -> None:
    house.stop()
    url = house.url.replace("http://", "http://me:secret@")
    with (
        Registry(cache=cache, settings=PipSettings((url,))) as registry,
        pytest.raises(HeaderError) as error,
    ):
        registry.available()
    assert "secret" not in str(error.value)


def test_one_index_of_two_may_fail(
    house: House, cache: Cache, caplog: pytest.LogCaptureFixture
) -> None:
    house.add("9.28.0.42")
    settings = PipSettings((house.url, f"{NOBODY}/simple"))
    with Registry(cache=cache, settings=settings) as registry:
        assert [release.build for release in registry.available()] == ["9.28.0.42"]
        assert registry.fetch("9.28.0").build == "9.28.0.42"
    (said,) = [record.getMessage() for record in caplog.records]  # once, though asked twice
    assert said.startswith(f"the index {NOBODY}/simple cannot be reached: ")
    assert said.endswith("Releases may be missing")
    assert not list(cache.folder.glob("releases-*"))  # an incomplete list is not kept


def test_a_busy_server_is_asked_again(house: House, registry: Registry) -> None:
    house.add("9.28.0.42")
    house.busy = 2
    assert registry.fetch("9.28.0").build == "9.28.0.42"


def test_a_server_that_stays_busy(house: House, registry: Registry) -> None:
    house.add("9.28.0.42")
    house.busy = 1000
    with pytest.raises(HeaderError, match="503 Service Unavailable"):
        registry.available()


def test_a_server_that_does_not_answer_in_time(house: House, cache: Cache) -> None:
    house.slow = 0.5
    settings = PipSettings((house.url,), timeout=0.05)
    with (
        Registry(cache=cache, settings=settings) as registry,
        pytest.raises(HeaderError, match=r"timed? ?out"),
    ):
        registry.available()


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate for this machine that nobody trusts yet, with its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes certificates, is not installed")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test"
    files = ["-keyout", str(path.with_suffix(".key")), "-out", str(path)]
    address = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *address, *files], check=True, capture_output=True)
    return path


@pytest.fixture
def tls_house(certificate: Path) -> Iterator[House]:
    """An index that speaks TLS with that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    house = House()
    house.start(context)
    house.add("9.28.0.42")
    yield house
    house.stop()


def fetched(settings: PipSettings, folder: Path) -> str:
    with Registry(cache=Cache(folder), settings=settings) as registry:
        return registry.fetch("9.28.0", refresh=True).build


def test_a_certificate_that_nobody_vouches_for(tls_house: House, tmp_path: Path) -> None:
    with pytest.raises(HeaderError, match=r"(?i)certificate verify failed.*pip config list"):
        fetched(PipSettings((tls_house.url,)), tmp_path / "cache")


def test_certificates_that_pip_is_told_of(
    tls_house: House, certificate: Path, tmp_path: Path
) -> None:
    settings = PipSettings((tls_house.url,), cert=str(certificate))
    assert fetched(settings, tmp_path / "cache") == "9.28.0.42"


def test_certificates_that_the_system_knows(
    tls_house: House, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert fetched(PipSettings((tls_house.url,)), tmp_path / "cache") == "9.28.0.42"


def test_a_trusted_host_needs_none(tls_house: House, tmp_path: Path) -> None:
    settings = PipSettings((tls_house.url,), trusted_hosts=(tls_house.host,))
    assert fetched(settings, tmp_path / "cache") == "9.28.0.42"


def test_certificates_that_are_not_there(tls_house: House, tmp_path: Path) -> None:
    settings = PipSettings((tls_house.url,), cert=str(tmp_path / "missing.pem"))
    with pytest.raises(HeaderError, match=r"missing\.pem.*Check cert and client-cert"):
        fetched(settings, tmp_path / "cache")


def test_a_proxy_is_used(house: House, cache: Cache) -> None:
    settings = PipSettings(("http://index.invalid/simple",), proxy=f"http://{house.host}")
    with Registry(cache=cache, settings=settings) as registry, pytest.raises(HeaderError):
        registry.available()
    assert "GET http://index.invalid/simple/nvidia-cudnn-cu13/" in house.requests


# Words for a release


def catalogue(*builds: str, yanked: str = "") -> tuple[Available, ...]:
    return releases(
        Build(build, (Wheel(f"{build}.whl", "", yanked=build == yanked),)) for build in builds
    )


SOME = catalogue(
    "8.9.4.19", "8.9.4.25", "9.9.0.5", "9.10.0.56", "9.10.2.21", "9.28.0.42", "9.28.1.1",
    yanked="9.28.1.1",
)  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "builds"),
    [
        ("9.10.0", ["9.10.0.56"]),
        ("9.10", ["9.10.2.21"]),
        ("9.10.0.56", ["9.10.0.56"]),
        ("8.9.4", ["8.9.4.25"]),
        ("8.9.4.19", ["8.9.4.19"]),
        ("8", ["8.9.4.25"]),
        ("9", ["9.28.0.42"]),
        ("9.28", ["9.28.0.42"]),
        ("9.28.1", ["9.28.1.1"]),
        ("latest", ["9.28.0.42"]),
        ("all", ["8.9.4.25", "9.9.0.5", "9.10.0.56", "9.10.2.21", "9.28.0.42", "9.28.1.1"]),
    ],
)
def test_a_release_by_any_of_its_names(spec: str, builds: list[str]) -> None:
    assert [release.build for release in resolve(spec, SOME)] == builds


@pytest.mark.parametrize(
    ("spec", "near"),
    [
        ("9.10.1", "9.9.0, 9.10.0, 9.10.2, 9.28.0"),
        ("9.1", "8.9.4, 9.9.0, 9.10.0, 9.10.2"),
        ("7.0.0", "8.9.4, 9.9.0, 9.10.0"),
        ("10", "9.10.2, 9.28.0, 9.28.1"),
        ("8.9.4.20", "8.9.4.19, 8.9.4.25"),
    ],
)
def test_an_unknown_release_names_the_nearest(spec: str, near: str) -> None:
    with pytest.raises(HeaderError, match=f"there is no cuDNN {spec} .*{near}"):
        resolve(spec, SOME)


@pytest.mark.parametrize("spec", ["", "newest", "9.x", "9.28.0.42.1", "v9", "9.", "-1"])
def test_what_is_no_version_is_told(spec: str) -> None:
    with pytest.raises(HeaderError, match=r"is not a cuDNN release; expected one like 9\.28\.0"):
        resolve(spec, SOME)


def test_an_older_build_does_not_pass_for_the_newest() -> None:
    assert [resolve(spec, SOME)[0].newest for spec in ("8.9.4", "8.9.4.25", "8.9.4.19")] == [
        True,
        True,
        False,
    ]
