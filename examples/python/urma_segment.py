#!/usr/bin/env python3
"""Sees a segment of a JVM as a buffer: no copy, no library, plain Python 3.9 or later on Linux.

  urma_segment.py read  NAME OFFSET LENGTH   print bytes of the segment that was published as NAME
  urma_segment.py write NAME OFFSET TEXT     write bytes into it
  urma_segment.py watch NAME OFFSET          print the number at OFFSET whenever it changes, until the end

`urma share FILE --name NAME --access rw` publishes one, LocalSegment.publish(NAME) as well. The handshake is
docs/import-handshake.md; the offsets of its messages are the format strings below, little endian without gaps.
"""
import fcntl, mmap, os, secrets, select, socket, struct, sys, time

HELLO, GOODBYE, REFUSED, IMPORT_SEGMENT, GRANTED, UNIMPORT, REVOKE, REVOKED, LOOKUP, NAMED = 1, 2, 3, 16, 17, 18, 19, 20, 48, 49
MAGIC, MAJOR = 0x414D5255, 1
READ, READ_WRITE = 2, 6
F_GET_SEALS, SHRINK_AND_GROW = 1034, 6


def runtime_directory():
    own, user = os.environ.get("URMA_RUNTIME_DIR"), os.environ.get("XDG_RUNTIME_DIR")
    return own or (os.path.join(user, "urma4j") if user else f"/tmp/urma4j-{os.getuid()}")


def text(string):
    utf8 = string.encode()
    return struct.pack("<H", len(utf8)) + utf8


class Segment:
    """A published segment; `memory` is its bytes, read-only unless `write`. For one thread."""

    def __init__(self, name, write=False, directory=None):
        directory = directory or runtime_directory()
        try:
            with open(os.path.join(directory, "names", name)) as file:
                _, _, address, incarnation, token_id = file.read().split()
        except (FileNotFoundError, ValueError):
            raise LookupError(f"no process has published '{name}' in {directory}") from None
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.socket.connect(os.path.join(directory, address))
            self._greet(int(incarnation, 16))
            self._import(name, int(token_id), READ_WRITE if write else READ)
        except BaseException:
            self.socket.close()
            raise

    def _greet(self, wanted):
        eid = struct.pack("<qq", 0, 0xFFFF7F000001)  # ::ffff:127.0.0.1
        self.socket.send(struct.pack("<BIHHqq", HELLO, MAGIC, MAJOR, 0, 0, 0) + eid
                         + struct.pack("<iqQ", 1 + secrets.randbelow(1 << 23), 1 + secrets.randbits(62), wanted)
                         + text(secrets.token_hex(16)))
        self._answer(HELLO)

    def _import(self, name, token_id, access):
        self.socket.send(struct.pack("<Bq", LOOKUP, 1) + text(name) + b"\1")
        named, _ = self._answer(NAMED)
        _, _, key, length, offered, _, has_token, token = struct.unpack_from("<qiqqBBBi", named, 1)
        if access & ~offered:
            raise PermissionError(f"'{name}' was published for reading alone")
        self.socket.send(struct.pack("<BqiqBBi", IMPORT_SEGMENT, 2, token_id, key, access, has_token, token))
        granted, descriptors = self._answer(GRANTED)
        _, self.grant, _, offset, length = struct.unpack_from("<qqBqq", granted, 1)
        if fcntl.fcntl(descriptors[0], F_GET_SEALS) & SHRINK_AND_GROW != SHRINK_AND_GROW:
            raise ConnectionError("the home could shrink its memory, and end us by that")
        protection = mmap.PROT_READ | (mmap.PROT_WRITE if access == READ_WRITE else 0)
        self._map = mmap.mmap(descriptors[0], offset + length, mmap.MAP_SHARED, protection)
        os.close(descriptors[0])
        self.memory = memoryview(self._map)[offset:offset + length]

    def _answer(self, kind):
        message, descriptors, _, _ = socket.recv_fds(self.socket, 32768, 2)
        if message[:1] == bytes([REFUSED]):
            raise PermissionError(message[15:].decode())
        if not message or message[0] != kind:
            raise ConnectionError("the home has gone, or speaks another version of the protocol")
        return message, descriptors

    def is_open(self):
        """Sees to what the home says, which must happen now and then: it waits when it takes the segment back."""
        while not self._map.closed and select.select([self.socket], [], [], 0)[0]:
            message = self.socket.recv(32768)
            if not message or message[0] in (GOODBYE, REVOKE):
                self._unmap()
                if message and message[0] == REVOKE:
                    self.socket.send(struct.pack("<Bq", REVOKED, self.grant))
        return not self._map.closed

    def _unmap(self):
        self.memory.release()
        self._map.close()

    def close(self):
        if not self._map.closed:
            self._unmap()
            self.socket.send(struct.pack("<Bq", UNIMPORT, self.grant))
        self.socket.close()


def main(command, name, offset, argument=""):
    segment = Segment(name, write=command == "write")
    at = int(offset)
    if command == "read":
        sys.stdout.buffer.write(segment.memory[at:at + int(argument)])
    elif command == "write":
        data = argument.encode()
        segment.memory[at:at + len(data)] = data
    else:
        last = None
        while segment.is_open():
            value = struct.unpack_from("=q", segment.memory, at)[0]
            if value != last:
                print(value, flush=True)
                last = value
            time.sleep(0.001)
        print("the home has taken it back")
    segment.close()


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("read", "write", "watch") or (len(sys.argv) == 4) != (sys.argv[1] == "watch"):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (LookupError, OSError, ValueError) as e:
        sys.exit(f"urma_segment.py: {e}")
