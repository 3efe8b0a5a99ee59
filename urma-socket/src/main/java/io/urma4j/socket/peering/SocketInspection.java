package io.urma4j.socket.peering;

import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.internal.inspect.Inspectable;
import java.util.List;
import java.util.function.Supplier;

/** What the sockets of a process tell to processes that look into it. It stands for them among the children of their context. */
record SocketInspection(Supplier<List<Resource>> connections) implements Inspectable {
    @Override
    public List<Resource> resources(Kind kind) {
        return kind == Kind.SOCKET ? connections.get() : List.of();
    }

    @Override
    public void close() {
        // connections outlive the context, as TCP
    }
}
