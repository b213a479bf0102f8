"""The Python front of tests/cross.py: a request a line in, an answer a line out."""

import json
import sys

import front

for line in sys.stdin:
    print(json.dumps(front.answer(json.loads(line))), flush=True)
