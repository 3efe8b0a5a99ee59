package io.urma4j.buffer;

/**
 * A slab that is to be made.
 *
 * @param sizeClass of its chunks; {@link SizeClasses#OWN_SLAB} for one chunk alone
 * @param lengthBytes a multiple of {@code chunkBytes}; part of the budget's registered bytes since the order
 */
record SlabOrder(int sizeClass, long chunkBytes, long lengthBytes) {}
