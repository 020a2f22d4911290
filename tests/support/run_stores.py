"""Run stores as tests meet them: half written, or changed and signed again."""
import hashlib
import time

import h5py
import pytest


def sign(path, data):
    """Writes HDF5 bytes behind the user block that belongs to them."""
    text = (f"chaosgrad run: an HDF5 file behind these 512 bytes\n"
            f"sha256 of what is behind them: {hashlib.sha256(data).hexdigest()}\n")
    path.write_bytes(text.encode().ljust(512, b"\n") + data)


def wait_for_iterations(directory):
    """Until a checkpoint with iterations in it is there."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            with h5py.File(directory / "solution.h5") as store:
                if len(store["history/k"]) > 0:
                    return
        except (OSError, KeyError):
            pass
        time.sleep(0.005)
    pytest.fail("no checkpoint was written")
