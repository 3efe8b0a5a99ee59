package io.urma4j.libc;

/**
 * Who was at the other end of a Unix socket when it was connected; the kernel vouches for it.
 *
 * @param pid its process id, which may name another process once that one is gone: see {@link UnixSocket#peerPidFd}
 * @param uid its effective user id
 * @param gid its effective group id
 */
public record PeerCredentials(int pid, int uid, int gid) {}
