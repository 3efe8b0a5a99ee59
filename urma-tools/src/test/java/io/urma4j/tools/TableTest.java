package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void columnsAreAsWideAsTheirWidestCellAndFiguresStandRight() {
        var table = new Table().words("NAME").figures("SIZE").words("USERS");

        table.row("orders", "1 MiB", "-").row("x", "8 B", "process 7");

        assertThat(print(table)).isEqualTo("""
                NAME     SIZE  USERS
                orders  1 MiB  -
                x         8 B  process 7
                """);
    }

    @Test
    void aLetterBeyondAsciiIsOneWide() {
        var table = new Table().figures("TIME").words("X");

        table.row("1.24 µs", "a");

        assertThat(print(table)).isEqualTo("""
                   TIME  X
                1.24 µs  a
                """);
    }

    @Test
    void aRowIsABlockWhereTheTerminalIsNarrower() {
        var table = new Table().words("NAME").figures("SIZE").figures("USERS").words("HOME");
        table.row("orders", "1 MiB", "0", "process 7").row("x", "8 B", "2", "-");

        assertThat(print(table, 30)).isEqualTo("""
                NAME   orders
                SIZE   1 MiB
                HOME   process 7

                NAME   x
                SIZE   8 B
                USERS  2
                """);
        assertThat(print(table, 31)).startsWith("NAME     SIZE  USERS  HOME\n");
    }

    @Test
    void theLastColumnsAreLeftOutWhereTheTableMustKeepItsLines() {
        var table = new Table().words("NAME").figures("SIZE").figures("USERS").words("HOME");
        table.row("orders", "1 MiB", "0", "process 7");
        var text = new StringWriter();

        table.printFitting(new PrintWriter(text), 30);

        assertThat(text.toString()).isEqualTo("""
                NAME     SIZE  USERS
                orders  1 MiB      0
                """);
    }

    @Test
    void aRowHasACellForEachColumn() {
        var table = new Table().words("A").words("B");

        assertThatIllegalArgumentException().isThrownBy(() -> table.row("a")).withMessage("1 cells for 2 columns");
    }

    private static String print(Table table) {
        return print(table, Integer.MAX_VALUE);
    }

    private static String print(Table table, int widest) {
        var text = new StringWriter();
        table.print(new PrintWriter(text), widest);
        return text.toString();
    }
}
