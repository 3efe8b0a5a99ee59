package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void writesMapsInOrderAndEscapesText() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", "a \"b\"\n");
        map.put("bytes", 1L << 40);
        map.put("rate", 1.5);
        map.put("works", true);
        map.put("access", Access.READ);
        map.put("users", List.of(1, 2));

        var text = new StringWriter();
        Json.print(new PrintWriter(text), map);

        assertThat(text.toString().replaceAll("\\s+", " "))
                .isEqualTo("{ \"name\" : \"a \\\"b\\\"\\n\", \"bytes\" : 1099511627776, \"rate\" : 1.5,"
                        + " \"works\" : true, \"access\" : \"READ\", \"users\" : [ 1, 2 ] } ");
    }
}
