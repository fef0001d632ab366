"""Start of a server process."""

import gc
import sys

if __name__ == "__main__":
    gc.disable()  # until the server has started: collections take a fifth of loading the libraries
    from foldwise.web.server import serve

    serve(sys.argv[1:])
