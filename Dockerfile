FROM python:3.12-slim

# Chromium draws the figures that are saved; Liberation has the metrics of Times and Arial.
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium fonts-liberation \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home foldwise
WORKDIR /home/foldwise/app
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY --chown=foldwise app.py ./
COPY --chown=foldwise .streamlit .streamlit
COPY --chown=foldwise docs docs
COPY --chown=foldwise figures figures
COPY --chown=foldwise gallery gallery
COPY --chown=foldwise pages pages
COPY --chown=foldwise sample_results sample_results
COPY --chown=foldwise stats_core stats_core
COPY --chown=foldwise ui ui
USER foldwise

EXPOSE 8501
# One run of the app counts as healthy, and warms it for the first visitor.
HEALTHCHECK --interval=30s --timeout=20s --start-period=60s \
    CMD python -c "import urllib.request as u; u.urlopen('http://localhost:8501/_stcore/script-health-check', timeout=15)"
CMD ["python", "-m", "foldwise.ui.serve", "--server.address=0.0.0.0", "--server.headless=true"]
