"""Files that a visitor brings: refused where there is no place for them."""

from collections.abc import Iterable

from streamlit.runtime.scriptrunner import get_script_run_ctx

from foldwise.web.session_cache import SESSIONS, session_cache
from foldwise.workspaces.workspace_config import MEGABYTE, limits
from stats_core.core.errors import DataError


def check_upload_size(files: tuple[tuple[str, bytes], ...]) -> None:
    """Refuse files for which this session, or the server, has no place."""
    held, size = limits(), sum(len(content) for _, content in files)
    others, these = SESSIONS.files(but=session_cache()), f"{size / MEGABYTE:.0f} MB"
    if size > held.session_mb * MEGABYTE:
        raise DataError(
            [
                f"One visitor's files need to fit into {held.session_mb} MB on this server. These are "
                f"{these}. Keep the columns that are needed, or run Foldwise on your own machine."
            ]
        )
    if size + others > held.memory_mb * MEGABYTE:
        raise DataError(
            [
                f"All visitors' files need to fit into {held.memory_mb} MB on this server. Those of "
                f"others are {others / MEGABYTE:.0f} MB, these {these}. Try again later, or run "
                "Foldwise on your own machine."
            ]
        )


def discard_uploads(uploads: Iterable[str]) -> None:
    """Take uploads out of memory, by the numbers that Streamlit gave them."""
    run = get_script_run_ctx()
    if run is not None:
        for number in uploads:
            run.uploaded_file_mgr.remove_file(run.session_id, number)
