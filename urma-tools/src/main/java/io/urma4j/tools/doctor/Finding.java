package io.urma4j.tools.doctor;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The result of one check.
 *
 * @param found what is there
 * @param advice what to do about it, or what would be faster and how to get it; empty when all is well
 */
record Finding(Mark mark, String name, String found, String advice) {
    /** How well it is. */
    enum Mark {
        OK,
        /** Works, but slower or with less than could be. */
        WARN,
        /** Something is unusable. */
        FAIL
    }

    static Finding ok(String name, String found) {
        return new Finding(Mark.OK, name, found, "");
    }

    static Finding warn(String name, String found, String advice) {
        return new Finding(Mark.WARN, name, found, advice);
    }

    static Finding fail(String name, String found, String advice) {
        return new Finding(Mark.FAIL, name, found, advice);
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("mark", mark);
        map.put("name", name);
        map.put("found", found);
        map.put("advice", advice);
        return map;
    }
}
