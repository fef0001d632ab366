FROM python:3.12-slim

# Liberation has the metrics of Times and Arial; without it figures are printed in STIX and DejaVu.
RUN apt-get update \
    && apt-get install -y --no-install-recommends fonts-liberation \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home foldwise
WORKDIR /home/foldwise/app
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY . ./
RUN pip install --no-cache-dir --no-deps . && cd .. && rm -r app
WORKDIR /home/foldwise
USER foldwise

EXPOSE 8501
# One run of the app counts as healthy, and warms it for the first visitor.
HEALTHCHECK --interval=30s --timeout=20s --start-period=60s \
    CMD python -c "import urllib.request as u; u.urlopen('http://localhost:8501/_stcore/script-health-check', timeout=15)"
CMD ["foldwise", "run", "--address=0.0.0.0", "--headless"]
