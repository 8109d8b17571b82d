"""Execute plans: addresses, workspace, CUDA graphs, call steps."""
