#!/usr/bin/env python3
"""Tests of `stride view` as clients see it: server_test.py STRIDE [CLASS...]."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from client import Closed, Refused, WebSocket, http

STRIDE = ""
TOKEN = "a-token-for-this-test"


class Server:
    """A running `stride view`, on a free port."""

    def __init__(self, *arguments, token=None, temporary=None):
        environment = dict(os.environ)
        if temporary:
            environment["TMPDIR"] = temporary
        environment.pop("STRIDE_TOKEN", None)
        if token:
            environment["STRIDE_TOKEN"] = token
        self.process = subprocess.Popen(
            [STRIDE, "view", "--no-browser", "--port", "0", "--seconds", "100", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.line = self.process.stdout.readline()
        match = re.match(r"viewer: http://127\.0\.0\.1:(\d+)/", self.line)
        if not match:
            raise AssertionError(f"no address: {self.line!r} {self.process.stderr.read()}")
        self.port = int(match.group(1))

    def stop(self, how=signal.SIGINT):
        """The exit code; and what it wrote to standard error."""
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors


class Case(unittest.TestCase):
    ARGUMENTS = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.ARGUMENTS)
        cls.port = cls.server.port

    @classmethod
    def tearDownClass(cls):
        code, errors = cls.server.stop()
        assert code == 0, f"exit code {code}: {errors}"  # nothing below may end the server
        assert errors == "", errors

    def connect(self, **options):
        client = WebSocket(self.port, **options)
        self.addCleanup(client.socket.close)
        return client

    def assert_alive(self):
        with WebSocket(self.port) as client:
            client.chunk("FRAM")


class Pages(Case):
    def test_the_page_with_its_security_headers(self):
        status, headers, body = http(self.port)
        self.assertEqual(status, 200)
        self.assertIn("text/html", headers["content-type"])
        self.assertIn(b"<html", body)
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertEqual(headers["x-frame-options"], "DENY")
        self.assertEqual(headers["referrer-policy"], "no-referrer")
        policy = headers["content-security-policy"]
        for part in ["default-src 'none'", "frame-ancestors 'none'", "connect-src 'self'"]:
            self.assertIn(part, policy)
        self.assertNotIn("*", policy)
        self.assertNotIn("access-control-allow-origin", headers)

    def test_nothing_else_is_served(self):
        for path in ["/index.html", "/../../etc/passwd", "/..%2f..%2fetc/passwd",
                     "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/download/../../etc/passwd",
                     "/download/recording/../../etc/passwd", "/download/exe", "/download/",
                     "/recording/../x", "/recording%00", "/etc/passwd", "*",
                     "http://127.0.0.1/etc/passwd"]:
            status, _, body = http(self.port, path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"root:", body, path)

    def test_only_get(self):
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"]:
            status, headers, _ = http(self.port, method=method)
            self.assertEqual(status, 405, method)
            self.assertEqual(headers["allow"], "GET")

    def test_nothing_open_and_nothing_recorded(self):
        for path in ["/recording", "/download/recording", "/download/bvh"]:
            self.assertEqual(http(self.port, path)[0], 404)

    def test_websocket_address_without_upgrade(self):
        self.assertEqual(http(self.port, "/ws")[0], 426)

    def test_long_and_broken_requests(self):
        host = f"Host: 127.0.0.1:{self.port}\r\n".encode()
        long = b"GET / HTTP/1.1\r\n" + host + b"X: " + b"a" * 20000 + b"\r\n\r\n"
        self.assertEqual(http(self.port, raw=long)[0], 431)
        for raw in [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 60 + b"\r\n\r\n",
                    b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                    b"GET / HTTP/1.1\r\n\r\n",  # no Host
                    b"GET / HTTP/1.1\r\nHost: a;b\r\n\r\n",
                    b"GET / HTTP/1.1\r\n" + host + b"Content-Length: 5\r\n\r\n12345"]:
            self.assertEqual(http(self.port, raw=raw)[0], 400, raw)

    def test_a_request_that_never_ends_is_dropped(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as slow:
            begin = time.monotonic()
            ended = False
            while not ended and time.monotonic() - begin < 25:
                try:
                    slow.sendall(b"G")  # a byte now and then does not buy time
                    slow.settimeout(1)
                    ended = slow.recv(1) == b""
                except socket.timeout:
                    pass
                except OSError:
                    ended = True
            self.assertTrue(ended)
        self.assert_alive()


class Access(Case):
    def test_listens_on_loopback_only(self):
        with open("/proc/net/tcp", encoding="ascii") as table:
            local = [line.split()[1] for line in table if line.split()[3] == "0A"]
        port = f":{self.port:04X}"
        self.assertEqual([each for each in local if each.endswith(port)], ["0100007F" + port])
        with open("/proc/net/tcp6", encoding="ascii") as table:
            self.assertFalse([line for line in table if line.split()[1].endswith(port)])

    def test_host_of_dns_rebinding(self):
        for host in ["evil.example", f"evil.example:{self.port}", "127.0.0.1",
                     f"127.0.0.1:{self.port + 1}", f"localhost.evil.example:{self.port}"]:
            self.assertEqual(http(self.port, host=host)[0], 403, host)
            with self.assertRaises(Refused) as refused:
                WebSocket(self.port, host=host)
            self.assertEqual(refused.exception.status, 403)

    def test_hosts_of_this_machine(self):
        for host in [f"localhost:{self.port}", f"127.0.0.1:{self.port}", f"[::1]:{self.port}"]:
            self.assertEqual(http(self.port, host=host)[0], 200, host)

    def test_cross_site_websocket(self):
        for origin in ["http://evil.example", "null", f"https://127.0.0.1:{self.port}",
                       f"http://localhost:{self.port}", "http://127.0.0.1:1",
                       f"http://127.0.0.1:{self.port}.evil.example"]:
            with self.assertRaises(Refused) as refused:
                WebSocket(self.port, origin=origin)
            self.assertEqual(refused.exception.status, 403, origin)
            self.assertEqual(http(self.port, headers={"Origin": origin})[0], 403)

    def test_the_pages_own_websocket(self):
        for host in [f"127.0.0.1:{self.port}", f"localhost:{self.port}"]:
            client = self.connect(host=host, origin=f"http://{host}")
            client.chunk("FRAM")


class Messages(Case):
    def refused_with_error(self, send, code=1008):
        """A client that sends so gets an error and is closed; another one notices nothing."""
        other = self.connect()
        other.chunk("FRAM")
        client = self.connect()
        client.chunk("HEAD")
        try:
            send(client)
        except Closed:
            pass  # closed while sending; the error may still be there to read
        error = client.text("error")
        self.assertTrue(error["message"])
        with self.assertRaises(Closed) as closed:
            while True:
                client.receive()
        self.assertEqual(closed.exception.code, code)
        step = other.chunk("FRAM").step
        self.assertGreater(other.chunk("FRAM").step, step)
        return error["message"]

    def test_junk(self):
        for text in ["", "junk", "[]", "{}", '{"type":"explode"}', '{"type":"pause"}',
                     '{"type":"pause","on":true,"x":1}', '{"type":"rate","value":1e999}',
                     '{"type":"play","motion":7}', "[" * 4000]:
            self.refused_with_error(lambda client, text=text: client.send_text(text))

    def test_binary(self):
        message = self.refused_with_error(lambda client: client.send_frame(2, b"\0\1\2"))
        self.assertIn("binary", message)

    def test_too_long(self):
        message = self.refused_with_error(
            lambda client: client.send_text('{"type":"step"}' + " " * 9000))
        self.assertIn("8192", message)

    def test_too_fast(self):
        def flood(client):
            for _ in range(400):
                client.send(type="release")
        self.assertIn("240", self.refused_with_error(flood))

    def test_empty_fragments_count(self):
        def flood(client):
            client.send_frame(1, b"{", last=False)
            for _ in range(400):
                client.send_frame(0, b"", last=False)
        self.assertIn("240", self.refused_with_error(flood))

    def test_ping_flood(self):
        def flood(client):
            for _ in range(400):
                client.send_frame(9, b"")
        self.refused_with_error(flood)

    def test_what_breaks_the_protocol_itself_is_closed(self):
        for send in [lambda c: c.send_text("x" * 1_000_000),        # far too long
                     lambda c: c.send_text(b"\xff\xfe"),            # no UTF-8
                     lambda c: c.send_frame(3, b"?"),               # no such frame
                     lambda c: c.socket.sendall(b"\x81\x02hi")]:    # not masked
            client = self.connect()
            client.chunk("FRAM")
            with self.assertRaises(Closed):
                send(client)
                while True:
                    client.receive()
            self.assert_alive()

    def test_valid_but_impossible_is_refused_and_the_client_stays(self):
        client = self.connect()
        client.chunk("FRAM")
        for message in [
                {"type": "setup", "character": "nobody"},
                {"type": "setup", "character": "/etc/passwd"},
                {"type": "setup", "character": "../../data/characters/x.xml"},
                {"type": "setup", "engine": "steam"},
                {"type": "setup", "controller": "autopilot"},
                {"type": "setup", "motion": "../../etc/passwd"},
                {"type": "setup", "skill": "/etc/passwd"},
                {"type": "play", "motion": "/etc/passwd"},
                {"type": "rate", "value": 100},
                {"type": "friction", "value": -1},
                {"type": "slope", "value_deg": 90},
                {"type": "step"},
                {"type": "push", "actor": 0, "body": 999, "point": [0, 0, 0], "force": [1, 0, 0],
                 "duration": 0.1},
                {"type": "push", "actor": 0, "body": 0, "point": [0, 0, 0], "force": [6000, 0, 0],
                 "duration": 0.1},
                {"type": "drag", "actor": 7, "body": 0, "point": [0, 0, 0], "target": [0, 0, 0]}]:
            client.send(**message)
            text = client.text("refused")["message"]
            self.assertNotIn("root:", text)
            self.assertNotIn("No such file", text, message)
        client.chunk("FRAM")

    def test_names_from_the_page_never_reach_the_file_system(self):
        """A file that could be loaded is not, although its name is right."""
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            file.write(b"<mujoco/>")
            file.flush()
            accessed = os.stat(file.name).st_atime_ns
            client = self.connect()
            client.chunk("FRAM")
            client.send(type="setup", character=file.name)
            self.assertIn("expected one of", client.text("refused")["message"])
            self.assertEqual(os.stat(file.name).st_atime_ns, accessed)


class Clients(Case):
    def test_eight_at_once_get_the_same_run(self):
        clients = [self.connect() for _ in range(8)]
        for client in clients:
            self.assertIn("characters", client.text("catalog"))
            head = client.chunk("HEAD").json()
            self.assertEqual(len(head["world"]["actors"]), 1)
        clients[0].text("status", lambda status: status["clients"] >= 8)
        for client in clients:
            steps = [client.chunk("FRAM").step for _ in range(30)]
            self.assertEqual(steps, sorted(set(steps)))

    def test_a_stalled_client_stalls_nobody(self):
        stalled = self.connect(receive_buffer=4096)
        stalled.chunk("HEAD")
        live = self.connect()
        first = last = live.chunk("FRAM")
        while last.time - first.time < 4:
            last = live.chunk("FRAM")
        # What it reads at last is the newest, not a backlog of four seconds.
        seen = [stalled.chunk("FRAM").time for _ in range(120)]
        self.assertGreater(seen[-1], last.time)

    def test_one_client_too_many(self):
        clients = []
        with self.assertRaises(Refused) as refused:
            for _ in range(40):
                clients.append(self.connect())
        self.assertEqual(refused.exception.status, 503)
        self.assertLessEqual(len(clients), 32)
        for client in clients:
            client.socket.close()
        for _ in range(50):  # until the server noticed
            try:
                self.assert_alive()
                return
            except Refused:
                time.sleep(0.1)
        self.fail("no place became free")


class Crowded(Case):
    """What one client does, the others do not feel."""

    def test_a_flood_of_setups_and_a_disconnect(self):
        viewer = self.connect()
        viewer.chunk("FRAM")
        with WebSocket(self.port) as flood:
            flood.chunk("FRAM")
            for k in range(200):
                flood.send(type="setup", engine=["native", "mujoco"][k % 2])
        begin, frames = time.monotonic(), 0
        while time.monotonic() - begin < 2:
            viewer.chunk("FRAM")
            frames += 1
        self.assertGreater(frames, 40)  # of 120
        begin = time.monotonic()
        viewer.send(type="pause", on=True)
        viewer.text("status", lambda s: s["paused"])
        self.assertLess(time.monotonic() - begin, 1)
        begin = time.monotonic()
        self.assert_joins()
        self.assertLess(time.monotonic() - begin, 2)
        viewer.send(type="pause", on=False)
        viewer.text("status", lambda s: not s["paused"])

    def test_the_same_while_it_stays(self):
        viewer = self.connect()
        viewer.chunk("FRAM")
        flood = self.connect()
        flood.chunk("FRAM")
        begin, frames = time.monotonic(), 0
        while time.monotonic() - begin < 3:
            for _ in range(3):
                flood.send(type="restart")
            viewer.chunk("FRAM")
            frames += 1
        self.assertGreater(frames, 45)
        begin = time.monotonic()
        viewer.send(type="pause", on=True)
        viewer.text("status", lambda s: s["paused"])
        self.assertLess(time.monotonic() - begin, 1)
        viewer.send(type="pause", on=False)
        viewer.text("status", lambda s: not s["paused"])

    def assert_joins(self):
        with WebSocket(self.port) as client:
            client.text("catalog")

    def test_idle_connections_keep_nobody_out(self):
        idle = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(200)]
        try:
            for _ in range(3):
                self.assertEqual(http(self.port)[0], 200)
                self.assert_joins()
        finally:
            for each in idle:
                each.close()

    def test_unread_downloads_share_one_copy(self):
        client = self.connect()
        client.chunk("FRAM")
        client.send(type="rate", value=4)
        client.send(type="record", on=True)
        client.text("status", lambda s: s["recorded_seconds"] > 12)
        client.send(type="record", on=False)
        client.text("status", lambda s: s["downloadable"] and not s["recording"])
        client.send(type="rate", value=1)
        size = len(http(self.port, "/download/csv")[2])
        self.assertGreater(size, 1 << 20)

        def resident():
            with open(f"/proc/{self.server.process.pid}/statm", encoding="ascii") as facts:
                return int(facts.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        before = resident()
        unread = []
        for _ in range(40):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.connect(("127.0.0.1", self.port))
            one.sendall(f"GET /download/csv HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
            unread.append(one)
            one.recv(1)  # it is on its way
        grown = resident() - before
        for one in unread:
            one.close()
        self.assertLess(grown, 10 * size, f"{grown} bytes for 40 downloads of {size}")


class Files(Case):
    """Files that a page brings, to be performed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        for name in ["walk.bvh", "walk.glb"]:
            subprocess.run([STRIDE, "convert", "walk", os.path.join(cls.folder.name, name)],
                           check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def read(self, name):
        with open(os.path.join(self.folder.name, name), "rb") as file:
            return file.read()

    def perform(self, name, body, **options):
        return http(self.port, f"/perform?name={name}", method="POST", body=body, **options)

    def test_a_capture_is_performed(self):
        client = self.connect()
        self.assertTrue(client.text("status")["takes_files"])
        for name in ["walk.bvh", "walk.glb"]:
            status, _, body = self.perform(name, self.read(name))
            self.assertEqual(status, 200, body)
            head = client.receive_until(lambda m: getattr(m, "kind", "") == "HEAD"
                                        and m.json()["controllers"][0]["motion"].endswith("/walk.motion"))
            self.assertEqual(head.json()["controllers"][0]["controller"], "sampling")
            begin = client.chunk("FRAM").root()
            client.receive_until(lambda m: getattr(m, "kind", "") == "FRAM"
                                 and m.root()[0] > begin[0] + 0.5)
            client.send(type="setup", controller="hold", motion=None)
            client.text("status", lambda s: s["setup"]["controller"] == "hold")

    def test_an_edited_skill_is_saved_and_performed(self):
        client = self.connect()
        client.chunk("FRAM")
        client.send(type="setup", skill="spline-biped")
        curves = client.text("curves", lambda m: m["curves"])["curves"]
        cycle = curves[1]["cycle"]
        cycle["values"][0] += 0.05 if cycle["values"][0] + 0.05 < curves[1]["high"] else -0.05
        client.send(type="curve", curve=1, part="cycle", **cycle)
        edited = client.text("curves", lambda m: m["curves"][1]["cycle"] == cycle)["curves"]
        status, headers, saved = http(self.port, "/download/skill?actor=0")
        self.assertEqual(status, 200)
        self.assertIn("attachment", headers["content-disposition"])
        self.assertTrue(json.loads(saved)["provenance"]["edited_by_hand"])
        client.send(type="setup", controller="hold", skill=None)
        client.text("curves", lambda m: not m["curves"])
        self.assertEqual(http(self.port, "/download/skill?actor=0")[0], 404)
        self.assertEqual(self.perform("mine.skill", saved)[0], 200)
        loaded = client.text("curves", lambda m: m["curves"])["curves"]
        self.assertEqual(loaded, edited)

    def test_what_is_nothing_to_perform_is_refused(self):
        for name, body in [("x.bvh", b""), ("x.bvh", b"\0" * 1000), ("x.bvh", b"HIERARCHY"),
                           ("x.glb", b"glTF" + b"\xff" * 100), ("x.skill", b"{\"stride_skill\":3}"),
                           ("x.skill", b"{" * 100000), ("../../etc/passwd", b"root"),
                           ("x.bvh", self.read("walk.bvh")[:2000])]:
            status, _, said = self.perform(name, body)
            self.assertEqual(status, 422, (name, body[:20], said))
            self.assertNotIn(tempfile.gettempdir(), said.decode())
        self.assert_alive()

    def test_too_large(self):
        raw = (f"POST /perform?name=x HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
               f"Content-Length: {33 << 20}\r\n\r\n").encode()
        self.assertEqual(http(self.port, raw=raw)[0], 413)
        self.assertEqual(self.perform("x.skill", b'{"stride_skill":' + b" " * (9 << 20))[0], 422)

    def test_another_sites_page_brings_nothing(self):
        for origin in ["http://evil.example", "null"]:
            status = self.perform("walk.bvh", self.read("walk.bvh"), headers={"Origin": origin})[0]
            self.assertEqual(status, 403)

    def test_only_where_it_is_allowed_and_with_the_token(self):
        for arguments, token in [(("--no-files",), None), (("--public",), TOKEN)]:
            server = Server(*arguments, token=token)
            try:
                status = http(server.port, "/perform?name=x.bvh", method="POST", body=b"HIERARCHY")[0]
                self.assertEqual(status, 403)
                if token:
                    status = http(server.port, f"/perform?name=x.bvh&token={token}", method="POST",
                                  body=b"HIERARCHY")[0]
                    self.assertEqual(status, 422)
            finally:
                self.assertEqual(server.stop(), (0, ""))

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            server = Server(temporary=folder)
            self.assertEqual(http(server.port, "/perform?name=walk.bvh", method="POST",
                                  body=self.read("walk.bvh"))[0], 200)
            self.assertNotEqual(os.listdir(folder), [])
            server.stop()
            self.assertEqual(os.listdir(folder), [])


class Session(Case):
    def setUp(self):
        self.client = self.connect()
        self.client.chunk("FRAM")

    def settle(self, **message):
        self.client.send(type="restart")
        self.client.chunk("HEAD")

    def test_pause_step_and_rate(self):
        self.client.send(type="pause", on=True)
        self.client.text("status", lambda s: s["paused"])
        self.client.send(type="step")
        step = self.client.chunk("FRAM").step
        self.client.send(type="step")
        self.assertEqual(self.client.chunk("FRAM").step, step + 1)
        self.client.send(type="pause", on=False)
        self.client.send(type="rate", value=0.25)
        self.client.text("status", lambda s: not s["paused"] and s["rate"] == 0.25)
        first, begin = self.client.chunk("FRAM"), time.monotonic()
        while time.monotonic() - begin < 1:
            last = self.client.chunk("FRAM")
        self.assertLess(last.time - first.time, 0.5)
        self.client.send(type="rate", value=1)

    def test_restart_begins_anew(self):
        self.client.send(type="restart")
        self.client.chunk("HEAD")
        self.assertLess(self.client.chunk("FRAM").time, 0.5)

    def test_a_push_moves_the_character(self):
        self.settle()
        before = self.client.chunk("FRAM").root()
        self.client.send(type="push", actor=0, body=0, point=[0, 0, 0], force=[0, 800, 0],
                         duration=0.3)
        event = self.client.chunk("EVNT").json()
        self.assertEqual(event["kind"], "push")
        self.client.receive_until(lambda m: getattr(m, "kind", "") == "FRAM"
                                  and m.root()[1] > before[1] + 0.1)

    def test_a_drag_pulls_towards_its_target_until_released(self):
        self.settle()
        root = self.client.chunk("FRAM").root()
        target = [root[0], root[1], root[2] + 1]
        for _ in range(60):
            self.client.send(type="drag", actor=0, body=0, point=[0, 0, 0], target=target)
            last = self.client.chunk("FRAM").root()
        self.assertGreater(last[2], root[2] + 0.1)
        self.client.send(type="release")
        self.client.receive_until(lambda m: getattr(m, "kind", "") == "FRAM"
                                  and m.root()[2] < last[2] - 0.05)

    def test_a_thrown_ball_joins_and_late_comers_know(self):
        self.settle()
        self.client.send(type="throw", **{"from": [3, 0, 1], "velocity": [-4, 0, 2], "mass": 2})
        event = self.client.receive_until(
            lambda m: getattr(m, "kind", "") == "EVNT" and m.json()["kind"] == "actor")
        self.assertIn("bodies", event.json()["data"]["character"])
        self.assertEqual(self.client.chunk("FRAM").actors, 2)
        late = self.connect()
        self.assertEqual(len(late.chunk("HEAD").json()["world"]["actors"]), 2)
        self.assertEqual(late.chunk("FRAM").actors, 2)

    def test_command_friction_slope(self):
        self.settle()
        self.client.send(type="command", speed=1.5, heading=0.5, style=0)
        self.client.text("status",
                         lambda s: s["command"] == {"speed": 1.5, "heading": 0.5, "style": 0,
                                                    "point": None})
        self.client.send(type="command", speed=None, heading=None, style=0, point=[2, -1])
        self.client.text("status", lambda s: s["command"]["point"] == [2, -1])
        self.client.send(type="friction", value=0.6)
        self.client.text("status", lambda s: s["setup"]["friction"] == 0.6)
        self.client.send(type="slope", value_deg=3)
        self.client.text("status", lambda s: abs(s["setup"]["slope_deg"] - 3) < 1e-9)
        self.client.send(type="friction", value=0.9)
        self.client.send(type="slope", value_deg=0)

    def test_setup_changes_who_and_how(self):
        catalog = self.connect().text("catalog")
        for key in ["characters", "controllers", "engines", "motions", "skills"]:
            self.assertIn(key, catalog)
        self.client.send(type="setup", character="biped", engine="mujoco", controller="passive",
                         motion=None, skill=None)
        head = self.client.chunk("HEAD").json()
        self.assertEqual(head["engine"], "mujoco")
        self.assertEqual([driver["controller"] for driver in head["controllers"]], ["passive"])
        self.assertEqual(head["world"]["actors"][0]["name"], "biped")
        self.client.send(type="setup", character="liu16", engine="native", controller="hold")
        self.client.receive_until(lambda m: getattr(m, "kind", "") == "HEAD"
                                  and m.json()["engine"] == "native")

    def test_record_download_and_replay(self):
        self.settle()
        self.client.send(type="push", actor=0, body=0, point=[0, 0, 0], force=[50, 0, 0],
                         duration=0.2)
        self.client.send(type="record", on=True)
        self.client.text("status", lambda s: s["recording"] and s["recorded_seconds"] > 1)
        for _ in range(10):
            self.client.send(type="drag", actor=0, body=0, point=[0, 0, 0], target=[0.2, 0, 1])
            self.client.chunk("FRAM")
        self.client.send(type="record", on=False)
        self.client.text("status", lambda s: not s["recording"] and s["downloadable"])
        status, headers, recording = http(self.port, "/download/recording")
        self.assertEqual(status, 200)
        self.assertIn("attachment", headers["content-disposition"])
        self.assertTrue(recording.startswith(b"STRIDEREC"))
        self.assertTrue(http(self.port, "/download/bvh")[2].startswith(b"HIERARCHY"))
        self.assertTrue(http(self.port, "/download/glb")[2].startswith(b"glTF"))
        self.assertIn(b"time", http(self.port, "/download/csv")[2].splitlines()[0])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "live.stride")
            with open(path, "wb") as file:
                file.write(recording)
            done = subprocess.run([STRIDE, "simulate", "--replay", path], capture_output=True,
                                  text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            shown = Server(path)
            try:
                self.assertEqual(http(shown.port, "/recording")[2], recording)
                with WebSocket(shown.port) as viewer:
                    self.assertEqual(viewer.text("status")["mode"], "recording")
                    viewer.send(type="push", actor=0, body=0, point=[0, 0, 0], force=[1, 0, 0],
                                duration=0.1)
                    viewer.text("refused")
                    viewer.send(type="live")
                    viewer.chunk("FRAM")
                    viewer.text("status", lambda s: s["mode"] == "live")
            finally:
                self.assertEqual(shown.stop(), (0, ""))

    def test_play_a_motion_and_go_back(self):
        self.client.send(type="play", motion="walk")
        self.client.text("status", lambda s: s["mode"] == "recording")
        self.assertTrue(http(self.port, "/recording")[2].startswith(b"STRIDEREC"))
        self.client.send(type="live")
        self.client.chunk("FRAM")

    def test_status_has_all_keys(self):
        status = self.client.text("status")
        for key in ["mode", "paused", "rate", "time", "realtime", "late", "missed", "fell",
                    "recording", "recorded_seconds", "setup", "command", "styles", "metrics",
                    "server_load", "clients"]:
            self.assertIn(key, status)


class Program(unittest.TestCase):
    def run_view(self, *arguments):
        return subprocess.run([STRIDE, "view", "--no-browser", *arguments], capture_output=True,
                              text=True, timeout=60)

    def test_ends_by_itself(self):
        done = self.run_view("--port", "0", "--seconds", "0.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^viewer: http://127\.0\.0\.1:\d+/\n$")

    def test_json(self):
        done = self.run_view("--port", "0", "--seconds", "0.5", "--json")
        self.assertEqual(done.returncode, 0)
        self.assertIn("127.0.0.1", json.loads(done.stdout)["address"])
        self.assertIn("viewer: http://", done.stderr)

    def test_signals_end_it_cleanly_and_clients_are_told(self):
        for how in [signal.SIGINT, signal.SIGTERM]:
            server = Server()
            client = WebSocket(server.port)
            client.chunk("FRAM")
            self.assertEqual(server.stop(how), (0, ""))
            with self.assertRaises(Closed) as closed:
                while True:
                    client.receive()
            self.assertEqual(closed.exception.code, 1001)
            client.socket.close()

    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = self.run_view("--port", str(port), "--seconds", "1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        for word in [f"--port {port}", "another program", "--port 0"]:
            self.assertIn(word, done.stderr)

    def test_bad_input(self):
        for arguments in [("nothing-of-that-name",), ("no/such/file.stride",),
                          ("--character", "nobody"), ("--engine", "steam"),
                          ("--controller", "autopilot"), ("--scenario", "no/such.json"),
                          ("--token", TOKEN), ("--public", "--token", TOKEN),
                          ("--token-file", "x"), ("--public", "--token-file", "no/such")]:
            done = self.run_view("--port", "0", "--seconds", "1", *arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertEqual(done.stdout, "", arguments)
            self.assertEqual(done.stderr.count("stride: error: "), 1, done.stderr)
        self.assertEqual(self.run_view("--port", "70000").returncode, 2)

    def test_public_needs_the_token(self):
        server = Server("--public", token=TOKEN)
        try:
            with open(f"/proc/{server.process.pid}/cmdline", "rb") as words:
                self.assertNotIn(TOKEN.encode(), words.read())
            self.assertIn(f"?token={TOKEN}", server.line)
            for path in ["/", "/recording", "/download/recording", "/ws"]:
                for query in ["", "?token=", "?token=wrong", f"?token={TOKEN}x",
                              f"?token={TOKEN[:-1]}", f"?other={TOKEN}"]:
                    self.assertEqual(http(server.port, path + query)[0], 403, path + query)
            for query in ["", "?token=wrong"]:
                with self.assertRaises(Refused) as refused:
                    WebSocket(server.port, path="/ws" + query)
                self.assertEqual(refused.exception.status, 403)
            # By any name of the machine, but still not from another site's page.
            self.assertEqual(http(server.port, f"/?token={TOKEN}", host="machine.lan:1")[0], 200)
            with WebSocket(server.port, path=f"/ws?token={TOKEN}") as client:
                client.chunk("FRAM")
            with self.assertRaises(Refused):
                WebSocket(server.port, path=f"/ws?token={TOKEN}", origin="http://evil.example")
        finally:
            self.assertEqual(server.stop(), (0, ""))

    def test_token_from_a_file(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(TOKEN + "\n")
            file.flush()
            os.chmod(file.name, 0o644)
            done = self.run_view("--port", "0", "--seconds", "1", "--public", "--token-file", file.name)
            self.assertEqual(done.returncode, 1)
            self.assertIn("others can read it", done.stderr)
            os.chmod(file.name, 0o600)
            server = Server("--public", "--token-file", file.name)
            try:
                self.assertEqual(http(server.port, "/")[0], 403)
                self.assertEqual(http(server.port, f"/?token={TOKEN}")[0], 200)
            finally:
                self.assertEqual(server.stop(), (0, ""))
            os.truncate(file.name, 5)
            done = self.run_view("--port", "0", "--seconds", "1", "--public", "--token-file", file.name)
            self.assertIn("16 to 128 characters", done.stderr)

    def test_strangers_leave_room_for_those_with_the_token(self):
        server = Server("--public", token=TOKEN)
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
        try:
            for _ in range(3):
                self.assertEqual(http(server.port, f"/?token={TOKEN}")[0], 200)
                with WebSocket(server.port, path=f"/ws?token={TOKEN}") as client:
                    client.chunk("FRAM")
        finally:
            for each in idle:
                each.close()
            self.assertEqual(server.stop(), (0, ""))

    def test_public_makes_a_token(self):
        tokens = set()
        for _ in range(2):
            server = Server("--public")
            token = server.line.strip().partition("?token=")[2]
            server.stop()
            self.assertGreaterEqual(len(token), 32)
            tokens.add(token)
        self.assertEqual(len(tokens), 2)

    def test_a_motion_by_name(self):
        server = Server("walk")
        try:
            self.assertTrue(http(server.port, "/recording")[2].startswith(b"STRIDEREC"))
        finally:
            server.stop()


if __name__ == "__main__":
    STRIDE = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
