package io.urma4j.tools;

import java.util.List;

/** Enumerations in a sentence. */
final class Words {
    private Words() {}

    /** As in {@code show, stats or events}. */
    static String joined(List<String> words, String conjunction) {
        if (words.size() < 2) {
            return String.join("", words);
        }
        return String.join(", ", words.subList(0, words.size() - 1)) + " " + conjunction + " " + words.getLast();
    }
}
