# The hosted server of CiteLoom: see docs/hosting.md. Nothing is compiled or built here.
FROM python:3.12-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PYTHONPATH=/app CITELOOM_HOME=/data \
    CITELOOM_PROGRAM="docker compose run --rm citeloom python -m citeloom"

COPY requirements/hosting.txt /tmp/requirements.txt
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes --only-binary :all: \
    -r /tmp/requirements.txt && rm /tmp/requirements.txt

RUN useradd --system --uid 10001 --home-dir /data --create-home citeloom
WORKDIR /app
COPY langgraph.json LICENSE NOTICE ./
COPY citeloom citeloom
COPY graphs graphs
COPY nodes nodes
COPY state state
COPY tools tools

USER citeloom
VOLUME /data
EXPOSE 2024
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:2024/citeloom/health', timeout=4)"]
CMD ["python", "-m", "citeloom.service.serve", "--host", "0.0.0.0", "--port", "2024"]
