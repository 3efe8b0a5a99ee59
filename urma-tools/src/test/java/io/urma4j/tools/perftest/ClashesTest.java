package io.urma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.tools.CommandFailure;
import java.util.LinkedHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClashesTest {
    /** A test and its options: {@code "write_bw --jettys=2 --bidirection=true"}. */
    static Settings settings(String words) {
        var given = new LinkedHashMap<String, String>();
        for (String word : words.split(" ", -1)) {
            int equals = word.indexOf('=');
            given.put(
                    equals < 0 ? Settings.TEST : word.substring(0, equals),
                    equals < 0 ? word : word.substring(equals + 1));
        }
        return new Settings(given);
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void withoutOptionsNothingClashes(Workload workload) {
        assertThatCode(() -> Clashes.check(settings(workload.word()))).doesNotThrowAnyException();
        assertThatCode(() -> Clashes.check(settings(workload.word() + " --all=true")))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        write_lat --trans_mode=UM               | --trans_mode UM and write_lat clash
        send_lat --trans_mode=RC --simplex_mode=true | --trans_mode RC and --simplex_mode clash
        send_lat --order_type=OT                | --order_type OT and --trans_mode RM clash
        write_bw --all=true --size=8            | --size and --all clash
        write_bw --min_size=8                   | --min_size means nothing without --all
        write_bw --all=true --min_size=64 --max_size=8 | --min_size 64 and --max_size 8 clash
        atomic_bw --size=16                     | --size 16 and atomic_bw clash
        write_bw --iters=10 --duration=1        | --iters and --duration clash
        write_bw --infinite=2 --all=true        | --infinite and --all clash
        write_bw --infinite=2 --duration=1      | --duration and --infinite clash
        write_lat --infinite=2                  | --infinite and write_lat clash
        write_bw --enable_imm=true --enable_notify=true | --enable_imm and --enable_notify clash
        read_bw --enable_imm=true               | --enable_imm and read_bw clash
        send_bw --enable_notify=true            | --enable_notify and send_bw clash
        read_bw --inline_size=8                 | --inline_size and read_bw clash
        write_bw --sge_num=2 --inline_size=8    | --sge_num and --inline_size clash
        write_lat --jettys=2                    | --jettys and write_lat clash
        write_lat --bidirection=true            | --bidirection and write_lat clash
        write_bw --jfs_post_list=256            | --jfs_post_list 256 and --jfs_depth 128 clash
        write_bw --cq_mod=129                   | --cq_mod 129 and --jfs_depth 128 clash
        send_bw --jfc_depth=16                  | --jfc_depth 16 and --jfs_depth 128 clash
        write_bw --enable_credit=true           | --enable_credit and write_bw clash
        send_bw --enable_credit=true --trans_mode=UM | --enable_credit and --trans_mode UM clash
        write_bw --jfr_depth=4                  | --jfr_depth and write_bw clash
        write_lat --use_jfce=true               | --use_jfce and write_lat clash
        send_lat --wait_jfc_timeout=5           | --wait_jfc_timeout means nothing without --use_jfce
        write_bw --rate_units=M                 | --rate_units means nothing without --rate_limit
        write_bw --burst_size=2                 | --burst_size means nothing without --rate_limit
        write_bw --rate_limit=0                 | --rate_limit must be more than 0
        write_bw --jettys=0                     | --jettys is 0, must be 1 to 4096
        write_bw --iters=4                      | --iters is 4, must be at least 5
        write_bw --err_timeout=3                | --err_timeout is 3, must be 8 to 31
        write_lat --duration=0                  | --duration is 0, must be 1 to
        write_bw --infinite=0                   | --infinite is 0, must be 1 to
        write_bw --warm_up=-1                   | --warm_up is -1, must be at least 0
        write_bw --inline_size=-1               | --inline_size is -1, must be 0 to
        send_lat --use_jfce=true --wait_jfc_timeout=-5 | --wait_jfc_timeout is -5, must be 1 to
        send_bw --enable_err_continue=true      | --enable_err_continue means nothing without --no-verify
        send_lat --enable_err_continue=true --no-verify=true | --enable_err_continue and send_lat clash
        send_bw --enable_err_continue=true --no-verify=true --trans_mode=RC | --enable_err_continue and --trans_mode RC clash
        send_bw --enable_err_continue=true --no-verify=true --enable_credit=true | --enable_err_continue and --enable_credit clash
        send_bw --share_jfr=true --enable_credit=true | --share_jfr and --enable_credit clash
        send_bw --jfr_post_list=9 --jfr_depth=4 | --jfr_post_list 9 and --jfr_depth 4 clash
        write_bw --bidirection=true --infinite=2 | --bidirection and --infinite clash
        atomic_bw --sge_num=2                   | --sge_num and atomic_bw clash
        write_bw --atomic_type=faa              | --atomic_type and write_bw clash
        write_bw --size=2 --sge_num=4           | --sge_num 4 and --size clash
        write_fast                              | is none of the tests read_lat
        write_bw --jfc_inline=true              | --jfc_inline is not offered: a completion record has no room
        send_lat --priority=3                   | --priority is not offered: queues have no priorities
        write_lat --pair_num=2                  | --pair_num and write_lat clash
        write_bw --pair_num=0                   | --pair_num is 0, must be 1 to 4096
        write_bw --pair_num=100 --jettys=100    | --pair_num times --jettys is 10000, must be 1 to 4096
        send_bw --pair_num=2 --jettys=2 --share_jfr=true --jfc_depth=767 | all queues together may need 768 records
        write_bw --share_jfs=true --jettys=2    | --share_jfs means nothing without --simplex_mode
        write_bw --share_jfs=true --simplex_mode=true | --share_jfs means nothing without --jettys or --pair_num
        write_lat --share_jfs=true --simplex_mode=true | --share_jfs and write_lat clash
        write_bw --share_jfs=true --simplex_mode=true --jettys=4096 --jfs_depth=512 | is 2097152, must be 1 to 1048576
        send_bw --share_jfs=true --simplex_mode=true --jettys=2 --enable_err_continue=true --no-verify=true | --share_jfs and --enable_err_continue clash
        write_bw --use_flat_api=true --jfs_post_list=2 | --use_flat_api and --jfs_post_list clash
        write_bw --use_flat_api=true --sge_num=2 | --use_flat_api and --sge_num clash
        write_bw --use_flat_api=true --inline_size=8 | --use_flat_api and --inline_size clash
        write_bw --use_flat_api=true --enable_imm=true | --use_flat_api and write_bw clash: no single call posts a WRITE_IMM
        write_lat --use_flat_api=true --all=true | --use_flat_api and write_lat of more than a word clash
        write_bw --page_size=100                | --page_size is 100, must be 4096 to 1073741824
        write_bw --page_size=5000               | --page_size is 5000, must be a power of two
        write_bw CLIENT_MEMORY=npu:0 --inline_size=8 | --inline_size and --memory clash: an inline payload is memory of the host
        read_bw SERVER_MEMORY=npu:0 --hugepages=true | --hugepages and --memory clash: a device has pages of its own
        read_bw SERVER_MEMORY=npu:0 --hugepage_size=2097152 | --hugepage_size and --memory clash
        write_lat SERVER_MEMORY=npu:0 --use_flat_api=true | --use_flat_api and write_lat in device memory clash: no single call posts a WRITE_NOTIFY
        write_bw --hugepage_size=0              | --hugepage_size is 0, must be 4096 to 1073741824
        """)
    void whatClashesIsRefusedByName(String words, String message) {
        assertThatThrownBy(() -> Clashes.check(settings(words)))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write_lat --use_flat_api=true",
                "send_bw --use_flat_api=true --enable_imm=true",
                "write_lat --use_flat_api=false --all=true",
                "write_bw --pair_num=64 --jettys=64",
                "send_bw --pair_num=2 --share_jfs=true --simplex_mode=true --share_jfr=true",
                "read_bw --page_size=2097152 --hugepage_size=2097152",
                "read_bw --use_flat_api=true CLIENT_MEMORY=npu:0 SERVER_MEMORY=npu:1"
            })
    void whatGoesTogetherIsLetThrough(String words) {
        assertThatCode(() -> Clashes.check(settings(words))).doesNotThrowAnyException();
    }

    @Test
    void whatOnlyOneSideWasGivenHoldsForBoth() {
        Settings both =
                Agreement.of(settings("write_bw --size=64"), settings("write_bw --iters=7 --size=64 --jettys=2"));

        assertThat(both.sizeBytes()).isEqualTo(64);
        assertThat(both.iterations(64)).isEqualTo(7);
        assertThat(both.jetties()).isEqualTo(2);
    }

    @Test
    void eachSideHasMemoryOfItsOwn() {
        Settings both =
                Agreement.of(settings("write_bw SERVER_MEMORY=npu:0"), settings("write_bw CLIENT_MEMORY=cuda:1"));

        assertThat(both.memory()).isEqualTo("cuda:1 at the client, npu:0 at the server");
        assertThat(settings("write_bw").usesDeviceMemory()).isFalse();
        assertThat(settings("write_bw SERVER_MEMORY=npu:0").memory())
                .isEqualTo("host at the client, npu:0 at the server");
    }

    @Test
    void settingsThatDifferAreRefusedWithNameAndBothValues() {
        assertThatThrownBy(() -> Agreement.of(
                        settings("write_bw --size=64 --iters=7"), settings("read_bw --size=128 --iters=7")))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--size is 64 at the server and 128 at the client")
                .hasMessageContaining("TEST is write_bw at the server and read_bw at the client")
                .hasMessageNotContaining("--iters");
    }
}
