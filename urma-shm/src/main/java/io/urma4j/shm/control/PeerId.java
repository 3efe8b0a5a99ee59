package io.urma4j.shm.control;

/**
 * Which context a peer is.
 *
 * @param address name of its socket in the runtime directory, never used twice
 * @param incarnation of the context (S1.5)
 */
public record PeerId(String address, long incarnation) {}
