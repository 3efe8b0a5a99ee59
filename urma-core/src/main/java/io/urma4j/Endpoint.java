package io.urma4j;

/**
 * One way to reach a home: part of a descriptor (S1.4).
 *
 * @param kind which provider understands it, for example {@code shm}
 * @param address where the home listens, in that provider's own text
 * @param key opaque to everybody else
 * @param vaBase the address that byte 0 of the segment has on this endpoint; 0 for queues
 * @param critical an importer that does not understand the kind must refuse the whole descriptor
 */
public record Endpoint(String kind, String address, long key, long vaBase, boolean critical) {}
