# One exact version. For the same bytes at every build name its digest, too, as in
# --build-arg BASE=python:3.12.11-slim-bookworm@sha256:... (printed by `docker buildx imagetools inspect`).
ARG BASE=python:3.12.11-slim-bookworm
FROM ${BASE}

# Liberation has the metrics of Times and Arial; without it figures are printed in STIX and DejaVu.
RUN apt-get update \
    && apt-get install -y --no-install-recommends fonts-liberation \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 10001 foldwise && install -d -o foldwise -m 700 /data
WORKDIR /build
COPY requirements.lock requirements-dev.txt ./
# The lock with its hashes; what only the tests need leaves again.
RUN pip install --no-cache-dir --require-hashes -r requirements.lock \
    && pip uninstall -y $(grep -oE '^[a-z][A-Za-z0-9_-]*' requirements-dev.txt)
COPY . ./
RUN pip install --no-cache-dir --no-deps . && cd / && rm -r /build

# Nothing is written but below /data (workspaces) and /tmp: the root may be read-only.
ENV HOME=/tmp MPLCONFIGDIR=/tmp PYTHONDONTWRITEBYTECODE=1 \
    FOLDWISE_WORKSPACES=/data/workspaces.sqlite3
VOLUME /data
WORKDIR /tmp
USER 10001

EXPOSE 8501
# One run of the app counts as healthy, and warms it for the first visitor.
HEALTHCHECK --interval=30s --timeout=20s --start-period=60s \
    CMD python -c "import urllib.request as u; u.urlopen('http://localhost:8501/_stcore/script-health-check', timeout=15)"
CMD ["foldwise", "run", "--address=0.0.0.0", "--headless"]
