"""`python -m tests.golden` writes the record anew."""

from tests.golden.record import write_record

write_record()
