package io.urma4j.udma.udp;

import io.urma4j.libc.SocketProgram;
import java.nio.ByteBuffer;

/** What a program answers to a datagram, found out as the kernel does it: one instruction after the other. */
final class ProgramRun {
    private static final int LOWEST_PLACE = -0x20_0000;

    private final byte[] ipPacket;
    private final int payloadAt;

    /**
     * A datagram.
     *
     * @param ipPacket from its IP header on
     * @param payloadAt where the UDP header ends
     */
    ProgramRun(byte[] ipPacket, int payloadAt) {
        this.ipPacket = ipPacket.clone();
        this.payloadAt = payloadAt;
    }

    int answer(SocketProgram program) {
        int a = 0;
        int x = 0;
        for (int at = 0; ; at++) {
            int value = program.value(at);
            switch (program.code(at)) {
                case SocketProgram.LOAD_CONSTANT -> a = value;
                case SocketProgram.LOAD_LENGTH -> a = ipPacket.length - payloadAt;
                case SocketProgram.LOAD_BYTE, SocketProgram.LOAD_HALF, SocketProgram.LOAD_WORD -> {
                    int bytes = bytesOf(program.code(at));
                    int place = placeOf(value);
                    if (place < 0 || place > ipPacket.length - bytes) {
                        return 0;
                    }
                    a = load(place, bytes);
                }
                case SocketProgram.COPY_TO_X -> x = a;
                case SocketProgram.XOR_X -> a ^= x;
                case SocketProgram.AND -> a &= value;
                case SocketProgram.MULTIPLY -> a *= value;
                case SocketProgram.SHIFT_RIGHT -> a >>>= value;
                case SocketProgram.JUMP -> at += value;
                case SocketProgram.JUMP_IF_EQUAL -> at += branch(program, at, a == value);
                case SocketProgram.JUMP_IF_ABOVE -> at += branch(program, at, Integer.compareUnsigned(a, value) > 0);
                case SocketProgram.JUMP_IF_NOT_BELOW ->
                    at += branch(program, at, Integer.compareUnsigned(a, value) >= 0);
                case SocketProgram.ANSWER -> {
                    return value;
                }
                default -> throw new AssertionError("instruction " + at + " has the code " + program.code(at));
            }
        }
    }

    private static int branch(SocketProgram program, int at, boolean isSo) {
        return isSo ? program.ifSo(at) : program.ifNot(at);
    }

    private static int bytesOf(int code) {
        return switch (code) {
            case SocketProgram.LOAD_BYTE -> 1;
            case SocketProgram.LOAD_HALF -> Short.BYTES;
            default -> Integer.BYTES;
        };
    }

    private int placeOf(int value) {
        return value < 0 && value >= LOWEST_PLACE ? value - SocketProgram.IP_HEADER : payloadAt + value;
    }

    private int load(int place, int bytes) {
        ByteBuffer packet = ByteBuffer.wrap(ipPacket);
        return switch (bytes) {
            case 1 -> packet.get(place) & 0xFF;
            case Short.BYTES -> packet.getShort(place) & 0xFFFF;
            default -> packet.getInt(place);
        };
    }
}
