"""The pieces every page is put together from; the only place besides pages that draws widgets."""
