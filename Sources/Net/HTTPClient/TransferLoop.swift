import CLibcurl
import Dispatch
import Runtime

/// Runs all requests of one reactor. The reactor reports socket events and a timer, and the loop passes them to libcurl
/// (`curl_multi_socket_action`).
///
/// A class because it owns libcurl's multi handle, which manages several requests. Thread rule: the reactor's queue,
/// except for `init`.
final class TransferLoop: @unchecked Sendable {
    // Invariant behind @unchecked: all state is used only inside `reactor`.
    let reactor: Reactor
    /// Counts the bytes of bodies.
    let memory: MemoryBudget
    private let multi: UnsafeMutableRawPointer
    private var sockets = SocketTable()
    /// All transfers. Each transfer knows its index here.
    private var all: [Transfer] = []
    /// First element of the list of idle transfers.
    private var idle: Transfer?
    private var idleCount = 0
    /// List of ended transfers whose receivers were not called yet, in the order in which they ended.
    private var firstEnded: Transfer?
    private var lastEnded: Transfer?
    private var isSettling = false
    private var timer: (any DispatchSourceTimer)?
    /// Time when libcurl wants to be called. Nil if it needs no call.
    private var wanted: MonotonicTime?
    /// Time when the timer fires. It does not change when `wanted` moves to a later time.
    private var armed = MonotonicTime.distantFuture
    private var isShutDown = false

    /// Maximum number of idle easy handles, which take about 10 KiB each.
    private static let maxIdle = 64

    init(reactor: Reactor, maxIdleConnections: Int, memory: MemoryBudget) {
        _ = Libcurl.isReady
        guard let multi = curl_multi_init() else { preconditionFailure("no memory for libcurl") }
        self.reactor = reactor
        self.memory = memory
        self.multi = multi
        let context = Unmanaged.passUnretained(self).toOpaque()
        curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maxIdleConnections)
        curl_multi_set_on_socket(
            multi,
            { _, descriptor, what, context, _ in
                TransferLoop.from(context)?.watch(descriptor, what)
                return 0
            }, context)
        curl_multi_set_on_timer(
            multi,
            { _, milliseconds, context in
                TransferLoop.from(context)?.wake(inMilliseconds: milliseconds)
                return 0
            }, context)
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> TransferLoop? {
        context.map { Unmanaged<TransferLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Starts `request`, and calls `receiver` once with the outcome. The call never comes from inside libcurl.
    func start(_ request: UpstreamRequest, _ receiver: @escaping Transfer.Receiver) {
        guard !isShutDown, let transfer = takeIdle() ?? makeTransfer() else {
            return receiver(.failure(.other(code: Int(CURLE_FAILED_INIT.rawValue))))
        }
        transfer.begin(request, receiver)
        add(transfer)
        settle()
    }

    /// Ends `transfer`. Must be called from outside libcurl's callbacks.
    func abandon(_ transfer: Transfer, with failure: UpstreamError) {
        curl_multi_remove_handle(multi, transfer.easy)
        finish(transfer, transfer.outcome(orElse: failure))
        settle()
    }

    /// Ends all requests and frees libcurl's memory. Call this before the last reference to the loop is dropped.
    func shutDown() {
        guard !isShutDown else { return }
        isShutDown = true
        for transfer in all where transfer.isUnderWay {
            curl_multi_remove_handle(multi, transfer.easy)
            finish(transfer, .failure(.other(code: Int(CURLE_ABORTED_BY_CALLBACK.rawValue))))
        }
        while let transfer = takeIdle() { drop(transfer) }
        // Closes the idle connections and calls `close` for each.
        curl_multi_cleanup(multi)
        sockets.forgetAll()
        timer?.cancel()
        timer = nil
        _ = tellEnded()
    }

    // MARK: Transfers

    private func add(_ transfer: Transfer) {
        guard curl_multi_add_handle(multi, transfer.easy) != CURLM_OK else { return }
        finish(transfer, .failure(.other(code: Int(CURLE_FAILED_INIT.rawValue))))
    }

    private func finish(_ transfer: Transfer, _ result: Transfer.Outcome) {
        transfer.end(with: result)
        if let lastEnded { lastEnded.next = transfer } else { firstEnded = transfer }
        lastEnded = transfer
    }

    private func makeTransfer() -> Transfer? {
        guard let transfer = Transfer(loop: self) else { return nil }
        transfer.index = all.count
        all.append(transfer)
        return transfer
    }

    private func takeIdle() -> Transfer? {
        guard let transfer = idle else { return nil }
        idle = transfer.next
        transfer.next = nil
        idleCount -= 1
        return transfer
    }

    /// Keeps `transfer` for another request. Frees it if `maxIdle` transfers are idle, or if the loop is shut down.
    /// `transfer` must be in no list except `all`.
    private func keep(_ transfer: Transfer) {
        guard idleCount < Self.maxIdle, !isShutDown else { return drop(transfer) }
        transfer.next = idle
        idle = transfer
        idleCount += 1
    }

    private func drop(_ transfer: Transfer) {
        if let last = all.popLast(), last !== transfer {
            last.index = transfer.index
            all[transfer.index] = last
        }
        transfer.free()
    }

    /// Continues a transfer that waited for its next turn.
    func goOn(_ transfer: Transfer) {
        let code = curl_easy_pause(transfer.easy, CURLPAUSE_CONT)
        // A callback refused the bytes that libcurl had kept during the pause. libcurl reports that only here, and no
        // longer watches the socket.
        guard code == CURLE_OK else { return abandon(transfer, with: transfer.fault ?? transfer.failure(code)) }
        settle()
    }

    func act(on descriptor: Int32, _ mask: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, descriptor, mask, &running)
        settle()
    }

    /// Runs libcurl's due timers, collects finished transfers, calls their receivers, and sets the timer for the rest.
    private func settle() {
        // A receiver may start another request. The loop below also handles that request.
        guard !isSettling else { return }
        isSettling = true
        repeat {
            repeat { runDueTimers() } while collect()
        } while tellEnded()
        isSettling = false
        arm()
    }

    /// Passes the results of ended requests to their receivers. Returns false if no request had ended.
    private func tellEnded() -> Bool {
        guard firstEnded != nil else { return false }
        while let transfer = firstEnded {
            firstEnded = transfer.next
            if firstEnded == nil { lastEnded = nil }
            transfer.next = nil
            let told = transfer.takeOutcome()
            // Before the receiver is called, because the receiver may reuse the transfer for another request.
            keep(transfer)
            if let told { told.receiver(told.outcome) }
        }
        return true
    }

    private func runDueTimers() {
        // libcurl may ask to be called again at once. The bound prevents an endless loop.
        for _ in 0..<16 {
            // Uses the time of the round. Timers that become due during the round wait for the next one.
            guard let due = wanted, due == .zero || due <= reactor.now else { return }
            wanted = nil
            var running: Int32 = 0
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
            if wanted == nil { askForTimeout() }
        }
    }

    /// Asks libcurl for its next timeout. libcurl does not report a timeout that equals the last one it reported.
    private func askForTimeout() {
        var milliseconds = 0
        guard curl_multi_timeout(multi, &milliseconds) == CURLM_OK else { return }
        wake(inMilliseconds: milliseconds)
    }

    /// Handles the hops that libcurl has finished. Returns true if a request continues with another hop or a retry.
    private func collect() -> Bool {
        var goesOn = false
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message becomes invalid when the handle is removed.
            let code = curl_message_result(message)
            curl_multi_remove_handle(multi, easy)
            guard let transfer = Transfer.of(easy) else { continue }
            switch transfer.completed(code) {
            case .again:
                goesOn = true
                add(transfer)
            case .done(let result):
                finish(transfer, result)
            }
        }
        return goesOn
    }

    // MARK: Time

    private func wake(inMilliseconds milliseconds: Int) {
        switch milliseconds {
        case ..<0: wanted = nil
        case 0: wanted = .zero
        default: wanted = .now().adding(seconds: Double(milliseconds) / 1000)
        }
    }

    private func arm() {
        guard let wanted, wanted < armed else { return }
        armed = wanted
        let timer = self.timer ?? reactor.makeTimer { [weak self] in self?.timerFired() }
        self.timer = timer
        let delay = max(wanted.nanoseconds - MonotonicTime.now().nanoseconds, 0)
        timer.schedule(deadline: .now() + .nanoseconds(delay), leeway: .milliseconds(1))
    }

    private func timerFired() {
        armed = .distantFuture
        settle()
    }

    // MARK: Sockets

    /// Starts, changes or ends watching a socket, as libcurl asks for in `what`. libcurl itself calls this method.
    private func watch(_ descriptor: Int32, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            if sockets[descriptor]?.rest() == false { sockets[descriptor] = nil }
            return
        }
        var interest: Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        if let socket = sockets[descriptor] { return socket.watch(interest) }
        let socket = UpstreamSocket(descriptor, loop: self, isOurs: false)
        sockets[descriptor] = socket
        socket.watch(interest)
    }

    /// Records a socket that this client opened for libcurl, so that its close is noticed.
    func opened(_ descriptor: Int32) {
        sockets[descriptor] = UpstreamSocket(descriptor, loop: self, isOurs: true)
    }

    /// Closes a socket that this client opened for libcurl. Called from inside libcurl.
    func close(_ descriptor: Int32) {
        sockets[descriptor]?.forget()
        sockets[descriptor] = nil
        closeDescriptor(descriptor)
    }
}
