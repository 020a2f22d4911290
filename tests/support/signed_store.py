"""Run stores that a test has changed, signed again."""
import hashlib


def sign(path, data):
    """Writes HDF5 bytes behind the user block that belongs to them."""
    text = (f"chaosgrad run: an HDF5 file behind these 512 bytes\n"
            f"sha256 of what is behind them: {hashlib.sha256(data).hexdigest()}\n")
    path.write_bytes(text.encode().ljust(512, b"\n") + data)
