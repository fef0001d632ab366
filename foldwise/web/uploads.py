"""Size limits and clean-up of uploaded files."""

from collections.abc import Iterable

from streamlit.runtime.scriptrunner import get_script_run_ctx

from foldwise.web.session_cache import SESSIONS, session_cache
from foldwise.workspaces.store import MEGABYTE, limits
from stats_core.core.errors import DataError


def check_upload_size(files: tuple[tuple[str, bytes], ...]) -> None:
    """Raise DataError if files exceed the limits of the session or the server."""
    configured, size = limits(), sum(len(content) for _, content in files)
    other_bytes, size_text = SESSIONS.files(but=session_cache()), f"{size / MEGABYTE:.0f} MB"
    if size > configured.session_mb * MEGABYTE:
        raise DataError(
            [
                f"One visitor's files need to fit into {configured.session_mb} MB on this server. These are "
                f"{size_text}. Keep the columns that are needed, or run Foldwise on your own machine."
            ]
        )
    if size + other_bytes > configured.memory_mb * MEGABYTE:
        raise DataError(
            [
                f"All visitors' files need to fit into {configured.memory_mb} MB on this server. Those of "
                f"others are {other_bytes / MEGABYTE:.0f} MB, these {size_text}. Try again later, or run "
                "Foldwise on your own machine."
            ]
        )


def discard_uploads(uploads: Iterable[str]) -> None:
    """Remove uploads from Streamlit's memory, by their file ids."""
    run = get_script_run_ctx()
    if run is not None:
        for file_id in uploads:
            run.uploaded_file_mgr.remove_file(run.session_id, file_id)
