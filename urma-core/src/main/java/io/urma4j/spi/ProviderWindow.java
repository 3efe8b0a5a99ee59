package io.urma4j.spi;

/** A window of an import that its home has granted. */
public interface ProviderWindow {
    /**
     * Announces an operation on it, before it is posted.
     *
     * @return what to post it on, with offsets from the window's start; once the window was taken back something on which
     *     every operation ends with REM_ACCESS_ABORT_ERR
     */
    ProviderImport begin();

    /** The operation that was announced is posted: from now on the queue keeps the announcement as long as it must. */
    void end();

    boolean isTakenBack();

    /** Number of unfinished work requests of this context that name it. */
    int unfinished();
}
