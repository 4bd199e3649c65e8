"""Linear (kernelized) attention in plain PyTorch."""
