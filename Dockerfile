# Python 3.12.14 on Debian 12, the same bytes at every build: docs/decisions.md says where the digest is from and how
# to renew it.
ARG BASE=python:3.12.14-slim-bookworm@sha256:b64e9d3a71eddaa1b3f80c04abf292b3139e3b7c4dd272d19c31dc1f91194d1b
FROM ${BASE} AS build
WORKDIR /build
COPY requirements.lock ./
# Every package with its hash; then only what the app needs of them is installed, and nothing is fetched any more.
RUN pip download --no-cache-dir --require-hashes -r requirements.lock -d /wheels
COPY . ./
RUN python -m venv /opt/foldwise \
    && /opt/foldwise/bin/pip install --no-cache-dir --no-index --find-links /wheels ".[app,login]"

FROM ${BASE}
# Liberation has the metrics of Times and Arial; without it figures are printed in STIX and DejaVu.
RUN apt-get update \
    && apt-get install -y --no-install-recommends fonts-liberation \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 10001 foldwise && install -d -o foldwise -m 700 /data
COPY --from=build /opt/foldwise /opt/foldwise

# Nothing is written but below /data (workspaces) and /tmp: the root may be read-only.
ENV PATH=/opt/foldwise/bin:$PATH HOME=/tmp MPLCONFIGDIR=/tmp PYTHONDONTWRITEBYTECODE=1 \
    FOLDWISE_WORKSPACES=/data/workspaces.sqlite3
VOLUME /data
WORKDIR /tmp
USER 10001

# The names at which users visit the app: docker run -e FOLDWISE_HOST="foldwise.example.org other.example.org".
ENV FOLDWISE_HOST=""
EXPOSE 8501
# One run of the app counts as healthy, and warms it for the first visitor.
HEALTHCHECK --interval=30s --timeout=20s --start-period=60s \
    CMD python -c "import urllib.request as u; u.urlopen('http://localhost:8501/_stcore/script-health-check', timeout=15)"
CMD ["foldwise", "run", "--address=0.0.0.0", "--headless"]
