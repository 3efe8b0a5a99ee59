package io.urma4j.buffer;

/**
 * A snapshot of {@link Transfers}. Counts are since they were opened.
 *
 * @param succeeded transfers that have succeeded
 * @param failed transfers that ended in another way
 * @param timedOut of these, at their timeout
 * @param readBytes of the READs that succeeded
 * @param writtenBytes of the WRITEs that succeeded
 * @param unfinished requests that are posted and have not ended, also of transfers that have timed out
 * @param waiting transfers of which requests wait until others have ended; one that goes to several homes counts for each
 * @param queues to homes, one for each home and context
 * @param imports segments of homes that are imported
 * @param windows that are open
 * @param recoveries of queues whose requests had failed
 */
public record TransfersStats(
        long succeeded,
        long failed,
        long timedOut,
        long readBytes,
        long writtenBytes,
        long unfinished,
        int waiting,
        int queues,
        int imports,
        int windows,
        long recoveries) {}
