/**
 * The files of the block store: {@link io.urma4j.examples.blockstore.store.BlockStore} first, then {@code SlotFile} and {@code
 * SlotHeader}, {@code Committer} and {@code Recovery}. Nothing here knows of messages or peers.
 */
@NullMarked
package io.urma4j.examples.blockstore.store;

import org.jspecify.annotations.NullMarked;
