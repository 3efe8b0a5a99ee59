package io.urma4j.libc;

/**
 * The process at the other end of a Unix socket when it was connected, according to the kernel.
 *
 * @param pid its process id, which may name another process once that one is gone: see {@link UnixSocket#peerPidFd}
 * @param uid its effective user id
 * @param gid its effective group id
 */
public record PeerCredentials(int pid, int uid, int gid) {}
