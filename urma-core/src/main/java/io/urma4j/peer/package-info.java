/**
 * Memory of GPUs and NPUs: how a device's pages become a segment, and what happens when they go away.
 *
 * <p>A {@link io.urma4j.peer.PeerMemoryClient} owns the addresses of a family of devices. The {@link
 * io.urma4j.peer.PeerMemoryRegistry} asks the clients for the owner of a range, pins it, maps it for the devices that will
 * access it, and revokes it when the client frees it. Call order, states and roll-back are those of the Linux kernel's peer
 * memory clients ({@code drivers/infiniband/core/peer_mem.c} of MLNX_OFED), so that an author of such a client finds them
 * again.
 *
 * <p>Reading order: {@link io.urma4j.peer.PeerMemoryClient}, {@link io.urma4j.peer.PeerAcquisition}, {@link
 * io.urma4j.peer.PeerMemoryRegistry}, {@link io.urma4j.peer.PeerRegion}; for the movement of bytes {@link
 * io.urma4j.peer.DmaEngine}, {@link io.urma4j.peer.CopyStream}, {@link io.urma4j.peer.Copy}.
 */
package io.urma4j.peer;
