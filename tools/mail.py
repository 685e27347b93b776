"""Mail, sent by the SMTP server of the user's own."""

import smtplib
import ssl
from email.message import EmailMessage

from tools.errors import InputError, TransientError
from tools.settings import Settings

_PATIENCE = 60.0
"""Seconds to wait for the server."""


def send_mail(message: EmailMessage, settings: Settings) -> None:
    """Send a message to those whom it names.

    Raises:
        InputError: A setting cannot be used.
        TransientError: The server did not take it; none of what it said is repeated.
    """
    host, port, tls = settings.smtp_host or "", settings.smtp_port, settings.smtp_tls
    if settings.smtp_password and tls == "none" and host not in {"localhost", "127.0.0.1", "::1"}:
        raise InputError(
            "CITELOOM_SMTP_TLS=none would send your password readable: use starttls or tls"
        )
    if not message["From"] or not message["To"]:
        raise InputError("to send mail, set CITELOOM_MAIL_FROM and CITELOOM_MAIL_TO")
    secure = ssl.create_default_context()
    try:
        with (
            smtplib.SMTP_SSL(host, port, timeout=_PATIENCE, context=secure)
            if tls == "tls"
            else smtplib.SMTP(host, port, timeout=_PATIENCE)
        ) as server:
            if tls == "starttls":
                server.starttls(context=secure)
            if settings.smtp_user and settings.smtp_password:
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            server.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        code = f" {error.smtp_code}" if isinstance(error, smtplib.SMTPResponseException) else ""
        raise TransientError(
            f"{host}:{port} did not take the mail ({type(error).__name__}{code}): check CITELOOM_SMTP_HOST and the "
            "settings beside it"
        ) from error
