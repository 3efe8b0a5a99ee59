package io.urma4j.peer;

/**
 * What distinguishes an allocation from a later one at the same address.
 *
 * @param ordinal of its device
 * @param bufferId unique for the life of the device; a new allocation has a new one
 */
public record DeviceIdentity(int ordinal, long bufferId) {}
