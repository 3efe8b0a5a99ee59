package io.urma4j.peer;

/**
 * A device with memory of its own.
 *
 * @param ordinal its number in its client, from 0
 * @param name of the model
 * @param uuid as the vendor's tools print it
 * @param address on its bus, such as {@code 0000:3b:00.0}; empty if it has none
 * @param lengthBytes of its memory
 */
public record PeerDevice(int ordinal, String name, String uuid, String address, long lengthBytes) {}
