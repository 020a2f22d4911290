"""Adversarial problems with known optima, and how the answers to them are judged; the command is benchmarks/attack.py."""
