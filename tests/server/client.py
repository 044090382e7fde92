"""A small HTTP and WebSocket client that can also misbehave."""

import base64
import json
import os
import socket
import struct
import time
import zlib


def http(port, path="/", method="GET", headers=None, host=None, raw=None, body=None):
    """(status, headers in lower case, body). `raw` bytes instead of a well-formed request."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        if raw is None:
            lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}"]
            lines += [f"{key}: {value}" for key, value in (headers or {}).items()]
            if body is not None:
                lines.append(f"Content-Length: {len(body)}")
            raw = ("\r\n".join(lines) + "\r\n\r\n").encode() + (body or b"")
        connection.sendall(raw)
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), {k.lower(): v for k, v in fields.items()}, body


class Closed(Exception):
    """The server closed the WebSocket; `code` is the close frame's, or None without one."""

    def __init__(self, code=None):
        super().__init__(f"closed: {code}")
        self.code = code


class Refused(Exception):
    """The WebSocket handshake was answered with an HTTP error."""

    def __init__(self, status):
        super().__init__(f"HTTP {status}")
        self.status = status


class WebSocket:
    def __init__(self, port, path="/ws", origin=None, host=None, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port))
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: {host or f'127.0.0.1:{port}'}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode(),
        ]
        if origin:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes:
            self._receive()
        head, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        if status != 101:
            self.socket.close()
            raise Refused(status)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _receive(self):
        try:
            piece = self.socket.recv(1 << 16)
        except (ConnectionResetError, BrokenPipeError) as error:
            raise Closed() from error
        if not piece:
            raise Closed()
        self.bytes += piece

    def _take(self, count):
        while len(self.bytes) < count:
            self._receive()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def send_frame(self, opcode, payload, last=True):
        head = bytes([(0x80 if last else 0) | opcode])
        if len(payload) < 126:
            head += bytes([0x80 | len(payload)])
        elif len(payload) < 1 << 16:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(payload))
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", len(payload))
        mask = os.urandom(4)
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
        try:
            self.socket.sendall(head + mask + masked)
        except (ConnectionResetError, BrokenPipeError) as error:
            raise Closed() from error

    def send(self, **message):
        self.send_text(json.dumps(message))

    def send_text(self, text):
        self.send_frame(1, text if isinstance(text, bytes) else text.encode())

    def receive(self):
        """The next message: a dict of JSON text, or a Chunk."""
        while True:
            first, second = self._take(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack(">H", self._take(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", self._take(8))
            payload = self._take(length)
            opcode = first & 0x0F
            if opcode == 1:
                return json.loads(payload)
            if opcode == 2:
                return Chunk(payload)
            if opcode == 8:
                raise Closed(struct.unpack(">H", payload[:2])[0] if payload else None)
            if opcode == 9:
                self.send_frame(10, payload)

    def receive_until(self, wanted, seconds=20):
        """The next message for which wanted(message) holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = self.receive()
            if wanted(message):
                return message
        raise AssertionError("the message did not come")

    def text(self, kind, condition=lambda message: True):
        return self.receive_until(
            lambda m: isinstance(m, dict) and m["type"] == kind and condition(m))

    def chunk(self, kind):
        return self.receive_until(lambda m: isinstance(m, Chunk) and m.kind == kind)


class Chunk:
    """One chunk of a recording, checked."""

    def __init__(self, data):
        self.kind = data[:4].decode()
        (length,) = struct.unpack("<I", data[4:8])
        (crc,) = struct.unpack("<I", data[-4:])
        assert len(data) == length + 12, "length of a chunk"
        assert zlib.crc32(data[:-4]) == crc, "checksum of a chunk"
        self.payload = data[8:-4]

    def json(self):
        return json.loads(self.payload)

    @property
    def step(self):
        return struct.unpack("<I", self.payload[:4])[0]

    @property
    def time(self):
        return struct.unpack("<d", self.payload[4:12])[0]

    @property
    def actors(self):
        return struct.unpack("<H", self.payload[12:14])[0]

    def root(self):
        """x, y, z of actor 0."""
        return struct.unpack("<3d", self.payload[14:38])
