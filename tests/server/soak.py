#!/usr/bin/env python3
"""Hours of use at once: soak.py STRIDE SECONDS [steering|viewing]. Called by scripts/soak.sh, which says
what it does."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter

from client import Closed, Refused, WebSocket

CHARACTERS = 4
VIEWERS = 8


class Watch:
    """Memory and descriptors of a process, seen every second."""

    def __init__(self, pid):
        self.pid, self.megabytes, self.descriptors = pid, [], []
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        page = os.sysconf("SC_PAGESIZE")
        while True:
            try:
                descriptors = len(os.listdir(f"/proc/{self.pid}/fd"))
                with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
                    megabytes = int(file.read().split()[1]) * page / 2**20
                if megabytes == 0:
                    return  # it has ended
                self.megabytes.append(megabytes)
                self.descriptors.append(descriptors)
            except (FileNotFoundError, ProcessLookupError, IndexError):
                return
            time.sleep(1)

    def row(self, name):
        def span(values):
            # The first tenth is the start: a leak grows after it.
            settled = values[len(values) // 10:]
            return f"{settled[0]:8.0f} {settled[-1]:8.0f} {max(settled):8.0f}"
        print(f"{name:<28}{span(self.megabytes)}   {span(self.descriptors)}")


def steering(stride, seconds):
    """Four characters, sent about and pushed: falls and recoveries of each."""
    chance = random.Random(1)
    def commands():
        at, some = 0.0, []
        while at < seconds:
            some.append({"at": round(at, 2), "speed": chance.choice([0, 0.8, 1.25, 2.5]),
                         "heading": chance.uniform(-3, 3)})
            at += chance.uniform(4, 12)
        return some
    def pushes():
        at, some = 5.0, []
        while at < seconds:
            some.append({"force": chance.uniform(50, 400), "heading": chance.uniform(-3, 3),
                         "at": round(at, 2), "duration": 0.2, "actor": chance.randrange(CHARACTERS)})
            at += chance.uniform(3, 10)
        return some
    with tempfile.TemporaryDirectory() as folder:
        scenario, others = os.path.join(folder, "a.json"), os.path.join(folder, "others.json")
        with open(scenario, "w", encoding="utf-8") as file:
            json.dump({"seconds": seconds, "commands": commands(), "pushes": pushes()}, file)
        with open(others, "w", encoding="utf-8") as file:
            json.dump([{"skill": "locomotion", "x": 3.0 * k, "y": 3.0, "commands": commands()}
                       for k in range(1, CHARACTERS)], file)
        process = subprocess.Popen(
            [stride, "simulate", "--skill", "locomotion", "--scenario", scenario, "--others", others,
             "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        watch = Watch(process.pid)
        text, _ = process.communicate()
    if process.returncode != 0:
        sys.exit(f"soak: steering ended with {process.returncode}")
    watch.row("steering")
    result = json.loads(text)
    rows = [result, *result["others"]]
    print("character       falls   recoveries   failed")
    for k, row in enumerate(rows):
        print(f"{k:<12}{row['falls']:>9}{row['recoveries']:>13}{str(row['failed']):>9}")
        if not 0 <= row["falls"] - row["recoveries"] <= 1:
            sys.exit("soak: falls and recoveries do not agree")
        if row["failed"]:
            sys.exit("soak: the engine lost a character")


class Viewer(threading.Thread):
    """Looks on, pushes now and then, and counts frames."""

    def __init__(self, port, seconds, seed):
        super().__init__(daemon=True)
        self.port, self.end, self.chance = port, time.monotonic() + seconds, random.Random(seed)
        self.frames, self.slowest, self.closed = 0, 0.0, Counter()

    def run(self):
        while time.monotonic() < self.end:
            try:
                with WebSocket(self.port) as client:
                    last = time.monotonic()
                    while time.monotonic() < self.end:
                        message = client.receive()
                        if isinstance(message, dict) or message.kind != "FRAM":
                            continue
                        now = time.monotonic()
                        self.slowest, last = max(self.slowest, now - last), now
                        self.frames += 1
                        if self.chance.random() < 0.01:
                            client.send(type="command", speed=self.chance.choice([0, 0.8, 1.25]),
                                        heading=self.chance.uniform(-3, 3), style=0)
            except (Closed, Refused, OSError) as why:
                self.closed[str(why)] += 1
                time.sleep(0.2)


class Hostile(threading.Thread):
    """Floods, half messages, junk, and disconnects."""

    def __init__(self, port, seconds):
        super().__init__(daemon=True)
        self.port, self.end, self.chance, self.attacks = port, time.monotonic() + seconds, random.Random(9), 0

    def attack(self, client):
        kind = self.chance.randrange(5)
        if kind == 0:
            for _ in range(200):
                client.send(type="setup", character="liu16", controller="hold", engine="native")
        elif kind == 1:
            for _ in range(200):
                client.send(type="restart")
        elif kind == 2:
            client.send_text(bytes(self.chance.randrange(256) for _ in range(500)))
        elif kind == 3:
            client.send_text("[" * 4000)
        else:
            client.socket.sendall(b"\x81\xfe\x10")  # a frame that never ends

    def run(self):
        while time.monotonic() < self.end:
            try:
                with WebSocket(self.port) as client:
                    self.attack(client)
                    self.attacks += 1
                    time.sleep(self.chance.random())
            except (Closed, Refused, OSError):
                time.sleep(0.2)


def viewing(stride, seconds):
    process = subprocess.Popen(
        [stride, "view", "--skill", "locomotion", "--crowd", str(CHARACTERS), "--no-browser", "--port",
         "0", "--seconds", str(seconds + 120)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    port = int(re.search(r":(\d+)/", process.stdout.readline()).group(1))
    watch = Watch(process.pid)
    viewers = [Viewer(port, seconds, seed) for seed in range(VIEWERS)]
    hostile = Hostile(port, seconds)
    for thread in [*viewers, hostile]:
        thread.start()
    for thread in viewers:
        thread.join()
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=60)
    watch.row("viewing")
    print("viewer      frames/s   slowest s   closed")
    for k, viewer in enumerate(viewers):
        print(f"{k:<8}{viewer.frames / seconds:>12.1f}{viewer.slowest:>12.2f}{viewer.closed.total():>9}")
    print(f"attacks {hostile.attacks}")
    if code != 0:
        sys.exit(f"soak: the viewer ended with {code}")
    closed = sum((viewer.closed for viewer in viewers), Counter())
    if closed:
        sys.exit(f"soak: viewers that did nothing wrong were closed: {dict(closed)}")


def main():
    stride, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    print(f"{'':<28}{'megabytes: first, last, most':>26}   {'descriptors: the same':>26}")
    parts = {"steering": steering, "viewing": viewing}
    chosen = sys.argv[3:] or list(parts)
    if not set(chosen) <= set(parts):
        sys.exit(f"soak: {chosen}; expected steering, viewing or nothing")
    for part in chosen:
        parts[part](stride, seconds)


if __name__ == "__main__":
    main()
