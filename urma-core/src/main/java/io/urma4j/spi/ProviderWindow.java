package io.urma4j.spi;

/** A window of an import, granted by its home. */
public interface ProviderWindow {
    /**
     * Announces an operation before it is posted.
     *
     * @return the import to post on, with offsets from the window's start. Once the window is revoked, every operation on
     *     it ends with REM_ACCESS_ABORT_ERR
     */
    ProviderImport begin();

    /** The announced operation is posted: from now on the queue keeps the announcement as long as necessary. */
    void end();

    boolean isTakenBack();

    /** Number of unfinished work requests of this context that name it. */
    int unfinished();
}
