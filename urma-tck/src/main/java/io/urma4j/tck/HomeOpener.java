package io.urma4j.tck;

/** What a {@link TckDriver} offers first: homes in its process. */
public interface HomeOpener extends HomeObject {
    /**
     * Opens the library and a context.
     *
     * @param device its name
     * @param runtimeDirectory where it meets the test's process
     */
    Home open(String device, String runtimeDirectory);
}
