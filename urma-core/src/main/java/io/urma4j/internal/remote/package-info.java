/**
 * Remote memory as simple calls: {@code RemoteCalls} on mapped memory or over queues ({@code RemoteLanes}), and the table and
 * imports of a region.
 */
package io.urma4j.internal.remote;
