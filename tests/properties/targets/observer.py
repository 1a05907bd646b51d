"""A program that speaks version 1 of the protocol, wants to see outputs, and halts after one."""

import json
import sys

if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        said = {"id": asked["id"]}
        if asked["call"] == "hello":
            said |= {"protocol": "filterproof.command", "version": 1, "observe": True}
        elif asked["call"] == "start":
            said |= {"state": "0"}
        elif asked["call"] == "decide":
            said |= {"decision": "halt" if asked["step"]["index"] else "continue", "state": "1"}
        else:
            said |= {"state": "seen " + asked["output"]}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
