"""A mail server on loopback that takes mail by STARTTLS from whoever knows its password.

with MailServer(tmp_path) as server:
    ...                     # CITELOOM_SMTP_HOST is server.host
server.mails                # what came, in order
"""

import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER, PASSWORD = "ada", "s3cret-of-ada"


class MailServer:
    """Takes mail until the block ends."""

    host = "localhost"

    def __init__(self, folder: Path) -> None:
        self.mails: list[EmailMessage] = []
        self.refuses = False
        self.on_mail: Callable[[], None] | None = None
        """Called before a mail is taken, such as to kill who sends it."""
        self.certificate, key = _certificate(folder)
        secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        secure.load_cert_chain(self.certificate, key)
        self._controller = Controller(
            self,
            hostname="127.0.0.1",
            port=_free_port(),  # its thread asks whether it is up, and cannot take any port
            tls_context=secure,
            require_starttls=True,
            authenticator=_known,
            auth_required=True,
        )

    def __enter__(self) -> Self:
        self._controller.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._controller.stop()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._controller.port)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if self.on_mail:
            self.on_mail()
        if self.refuses:
            return "451 not now"
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        return "250 OK"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as asked:
        return int(asked.getsockname()[1])


def _known(server: Any, session: Any, envelope: Any, mechanism: str, given: Any) -> AuthResult:
    right = LoginPassword(USER.encode(), PASSWORD.encode())
    return AuthResult(success=given == right)


def _certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "mail.pem", folder / "mail.key"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths
