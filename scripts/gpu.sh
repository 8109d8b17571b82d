#!/usr/bin/env bash
# Everything that needs a GPU, in one go: scripts/gpu.sh [smoke|tests|bench|memcheck|all] [options]
#
# WHEELS  a folder of wheels to install first, for a machine that reaches no package index
# OUT     where logs go (default: build/gpu)
# PYTHON  the interpreter (default: python3)
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
if [ -n "${WHEELS:-}" ]; then
    "$python" -m pip install -q --no-index --no-deps --no-compile --no-cache-dir \
        --disable-pip-version-check --target "$site" "$WHEELS"/*.whl
fi
export PYTHONPATH="$site:$PWD/overlay:$PWD/generated:$PWD${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONUNBUFFERED=1
"$python" build_native.py || echo "the compiled call layer cannot be built here"
"$python" scripts/gpu_check.py "$@"
