package io.urma4j.shm;

import io.urma4j.JettyDescriptor;
import io.urma4j.JfrConfig;
import io.urma4j.OrderType;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.QueueAnswer;
import io.urma4j.spi.support.IntTable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** What peers may send to in a context, by number: JFRs, Jetties and groups of Jetties. For any thread. */
final class Receivers {
    private final IntTable<Inbound> inbound = new IntTable<>();
    private final IntTable<ShmJettyGroup> groups = new IntTable<>();
    private final CopyOnWriteArrayList<ShmJettyGroup> openGroups = new CopyOnWriteArrayList<>();

    void add(Inbound receiver) {
        inbound.put(receiver.id(), receiver);
    }

    /** The JFR or Jetty is closed. */
    void remove(int id) {
        inbound.remove(id);
    }

    /** The receiver of messages for this number; null if it is unknown. */
    @Nullable
    Inbound get(int queueId) {
        return inbound.get(queueId);
    }

    void add(ShmJettyGroup group) {
        groups.put(group.id(), group);
        openGroups.add(group);
    }

    void remove(ShmJettyGroup group) {
        openGroups.remove(group);
        groups.remove(group.id());
    }

    /** The group with this number; null if there is none. */
    @Nullable
    ShmJettyGroup group(int groupId) {
        return groups.get(groupId);
    }

    /** The Jetty with that id is in ERROR. */
    void failed(Object jetty, int id) {
        openGroups.forEach(group -> group.memberFailed(jetty, id));
    }

    // ---- what peers ask for; on the engine's thread

    /** A peer requests to send to a queue. */
    QueueAnswer queueRequested(Peer from, int queueId, JettyDescriptor.Kind kind, int tokenValue, boolean hasToken) {
        if (kind == JettyDescriptor.Kind.GROUP) {
            return groupRequested(queueId, tokenValue, hasToken);
        }
        Inbound wanted = inbound.get(queueId);
        boolean isJetty = kind == JettyDescriptor.Kind.JETTY;
        if (wanted == null || isJetty != (wanted.jetty() != null)) {
            return QueueAnswer.refused(UrmaStatus.ENOPERM);
        }
        JfrConfig config = wanted.receives().config();
        if (!opens(config.policy(), config.token(), tokenValue, hasToken)) {
            return QueueAnswer.refused(UrmaStatus.ENOPERM);
        }
        if (wanted.binding() != null) {
            wanted.binding().requests().imported(from);
        }
        return QueueAnswer.granted(config.mode(), config.orderType().effective(config.mode()), 0);
    }

    private QueueAnswer groupRequested(int groupId, int tokenValue, boolean hasToken) {
        ShmJettyGroup group = groups.get(groupId);
        if (group == null || !opens(group.config().policy(), group.config().token(), tokenValue, hasToken)) {
            return QueueAnswer.refused(UrmaStatus.ENOPERM);
        }
        return QueueAnswer.granted(TransportMode.RM, OrderType.DEF.effective(TransportMode.RM), 0);
    }

    private static boolean opens(TokenPolicy policy, Token token, int value, boolean hasToken) {
        return policy == TokenPolicy.NONE || (hasToken && token.equals(Token.of(value)));
    }

    /** A peer's Jetty requests to bind to an RC Jetty. */
    UrmaStatus bindRequested(Peer from, int localId, int remoteId, int orderType) {
        Inbound wanted = inbound.get(localId);
        if (wanted == null || wanted.jetty() == null) {
            return UrmaStatus.EINVAL;
        }
        return wanted.binding() == null ? UrmaStatus.ENOPERM : wanted.binding().requested(from, remoteId, orderType);
    }

    void unbindRequested(Peer from, int localId, int remoteId) {
        Inbound wanted = inbound.get(localId);
        if (wanted != null && wanted.binding() != null) {
            wanted.binding().requests().unrequested(from, RcBinding.IN_ORDER, remoteId);
        }
    }
}
