package io.urma4j.examples.blockstore;

import io.urma4j.Eid;
import io.urma4j.JettyId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The requests that each client process has in progress. They count whichever of its sessions they came with: a new session brings
 * no fresh credits while requests of an earlier one run. Safe for any thread.
 */
final class Credits {
    private final int limit;
    private final Map<Client, Account> accounts = new ConcurrentHashMap<>();

    private record Client(Eid eid, int uasid) {}

    /** Of one client; immutable. */
    private record Account(int sessions, int unfinished) {
        static final Account NONE = new Account(0, 0);
    }

    /** @param limit requests of a client at once */
    Credits(int limit) {
        this.limit = limit;
    }

    int limit() {
        return limit;
    }

    private static Client clientOf(JettyId sender) {
        return new Client(sender.eid(), sender.uasid());
    }

    /** A session begins. */
    void open(JettyId sender) {
        change(sender, 1, 0);
    }

    /** A session has ended; requests of it may still run. */
    void close(JettyId sender) {
        change(sender, -1, 0);
    }

    /** Takes a credit for a request; false if the client has none left. */
    boolean begin(JettyId sender) {
        boolean[] begins = new boolean[1];
        accounts.computeIfPresent(clientOf(sender), (_, account) -> {
            begins[0] = account.unfinished < limit;
            return begins[0] ? new Account(account.sessions, account.unfinished + 1) : account;
        });
        return begins[0];
    }

    /** A request has ended. */
    void end(JettyId sender) {
        change(sender, 0, -1);
    }

    private void change(JettyId sender, int sessions, int unfinished) {
        accounts.compute(clientOf(sender), (_, known) -> {
            Account account = known == null ? Account.NONE : known;
            Account next = new Account(account.sessions + sessions, account.unfinished + unfinished);
            return next.equals(Account.NONE) ? null : next;
        });
    }

    /** Clients that have a session or a request. */
    int clients() {
        return accounts.size();
    }

    @Override
    public String toString() {
        return "credits of " + accounts;
    }
}
