package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;

/** From which node of the machine the pages of a mapping come: {@code mbind(2)}. Nodes are numbered as by the kernel. */
public final class NumaPolicy {
    /** The most that Linux can be built for. */
    public static final int MAX_NODES = 1024;

    private static final int MPOL_PREFERRED = 1;

    private static final MethodHandle MBIND = Linkage.bindKernelCall(
            KernelCall.MBIND,
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT));

    private NumaPolicy() {}

    /**
     * Pages of a mapped range that are not there yet come from that node while it has any, else from another. Of a file in
     * memory this holds for any thread that touches them first.
     *
     * @throws LibcException EINVAL when there is no such node; EPERM where a sandbox forbids the call
     */
    public static void prefer(MemorySegment range, int node) {
        BitSet nodes = new BitSet();
        nodes.set(node);
        int result;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MAX_NODES / Byte.SIZE, Long.BYTES);
            byte[] bytes = nodes.toByteArray();
            MemorySegment.copy(bytes, 0, mask, JAVA_BYTE, 0, bytes.length);
            result = mbind(range, mask);
        }
        if (result < 0) {
            String where = "address=0x" + Long.toHexString(range.address()) + ", lengthBytes=" + range.byteSize();
            throw new LibcException("mbind", where + ", PREFERRED, node " + node, -result);
        }
    }

    private static int mbind(MemorySegment range, MemorySegment mask) {
        CallFrame frame = CallFrame.claim();
        try {
            return (int) frame.result((long) MBIND.invokeExact(
                    frame.state(), range, range.byteSize(), (long) MPOL_PREFERRED, mask, MAX_NODES + 1L, 0));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }
}
