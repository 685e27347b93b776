"""Keys of callers: kept as hashes where nobody else reads them."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from citeloom.cli.app import app
from tools.callers import ApiKeyLimits, ApiKeys
from tools.errors import InputError


def test_key_is_kept_as_a_hash_and_found_by_itself_only(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path)
    assert not keys.kept
    secrets = {name: keys.add(name, ApiKeyLimits(usd_a_day=2.5)) for name in ("alice", "bob")}
    file = tmp_path / "keys.json"
    assert file.stat().st_mode & 0o777 == 0o600
    for name, secret in secrets.items():
        assert re.fullmatch(r"citeloom_[\w-]{43}", secret)
        assert secret not in file.read_text()
        found = ApiKeys(tmp_path).holder(secret)
        assert found
        assert (found.name, found.limits.usd_a_day) == (name, 2.5)
        assert not any(
            map(keys.holder, (secret[:-1], secret.upper(), found.hash, name, "", "é\x00"))
        )
    keys.revoke("alice")
    assert keys.holder(secrets["alice"]) is None
    assert keys.holder(secrets["bob"])
    keys.revoke("bob")
    assert keys.kept, "a server whose keys are all revoked lets nobody in"


def test_what_cannot_be_a_key_is_refused(tmp_path: Path) -> None:
    keys = ApiKeys(tmp_path)
    for name in ("", "../x", "A", "a b", "a\x00", "-a", "x" * 65, "аlice"):
        with pytest.raises(InputError, match="cannot name a caller"):
            keys.add(name, ApiKeyLimits())
    keys.add("alice", ApiKeyLimits())
    with pytest.raises(InputError, match="revoke it first"):
        keys.add("alice", ApiKeyLimits())
    with pytest.raises(InputError, match="'eve' has no key; keys are there of: alice"):
        keys.revoke("eve")
    (tmp_path / "keys.json").chmod(0o644)
    with pytest.raises(InputError, match="others may read"):
        ApiKeys(tmp_path).all()
    (tmp_path / "keys.json").chmod(0o600)
    (tmp_path / "keys.json").write_text("[{]")
    with pytest.raises(InputError, match="cannot be read"):
        ApiKeys(tmp_path).all()


def test_command_makes_lists_and_revokes_keys(home: Path) -> None:
    def call(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["keys", *arguments])

    made = call("add", "alice", "--usd-a-day", "2.5")
    found = ApiKeys(home).holder(made.stdout.strip())
    assert found
    assert found.limits == ApiKeyLimits(usd_a_day=2.5)
    assert "shows this key only once" in made.stderr
    listed = call("list").stdout
    assert listed.startswith("alice  made 20")
    assert "4 runs at once, 600 requests a minute, 2.5 usd a day" in listed
    assert call("revoke", "alice").exit_code == 0
    assert "'alice' has no key" in call("revoke", "alice").stderr
    assert call("list").stdout == ""
