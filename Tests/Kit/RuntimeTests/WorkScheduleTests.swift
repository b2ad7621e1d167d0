import Testing

@testable import Runtime

@Suite struct WorkScheduleTests {
    private func piece(_ layer: String, _ number: Int = 0, client: [UInt8]? = nil) -> WorkPiece {
        WorkPiece(number: number, client: client, layer: layer) { _ in true }
    }

    /// Ends the running pieces in turn and returns the numbers of the pieces that start. A piece takes the time that
    /// `seconds` has for its layer.
    private func rest(
        of schedule: inout WorkSchedule, _ running: [WorkSchedule.Running], _ seconds: [String: Double]
    ) -> [Int] {
        var (running, order) = (running, [Int]())
        while !running.isEmpty {
            let done = running.removeFirst()
            guard let next = schedule.next(after: done, seconds: seconds[done.piece.layer] ?? 0) else { continue }
            order.append(next.piece.number)
            running.append(next)
        }
        return order
    }

    private func begin(_ schedule: inout WorkSchedule, _ piece: WorkPiece) -> WorkSchedule.Running? {
        if case .begins(let running) = schedule.admit(piece) { running } else { nil }
    }

    private func next(
        _ schedule: inout WorkSchedule, _ done: WorkSchedule.Running, _ seconds: Double
    ) throws -> WorkSchedule.Running {
        let next = schedule.next(after: done, seconds: seconds)
        return try #require(next)
    }

    /// Returns two kinds of pieces, short and long, or one kind if all threads may run long pieces.
    private func kinds(_ width: Int, _ longWidth: Int) -> [WorkSchedule.Kind] {
        let long = WorkSchedule.Kind(seconds: .infinity, width: longWidth)
        return longWidth < width ? [WorkSchedule.Kind(seconds: 0.01, width: width), long] : [long]
    }

    /// Returns a schedule that already knows how long pieces of the layers in `costs` take.
    private func schedule(width: Int, longWidth: Int, knowing costs: [String: Double]) throws -> WorkSchedule {
        var schedule = WorkSchedule(kinds(width, longWidth), depth: 100)
        for (layer, cost) in costs {
            let begun = begin(&schedule, piece(layer))
            let running = try #require(begun)
            #expect(schedule.next(after: running, seconds: cost) == nil)
        }
        return schedule
    }

    @Test func withdrawsWaitingAndHeldPieces() {
        var schedule = WorkSchedule(kinds(1, 1), depth: 20, layerWidth: 2)
        for number in 0..<6 { _ = schedule.admit(piece("slow", number)) }
        // Piece 0 runs. Piece 1 waits for a thread. The other pieces wait because their layer has two pieces already.
        for number in 1...3 { #expect(schedule.withdraw(number, of: nil, "slow")?.number == number) }
        #expect(schedule.waiting == 2)
        for number in 0...3 { #expect(schedule.withdraw(number, of: nil, "slow") == nil) }
        for number in 4...5 { #expect(schedule.withdraw(number, of: nil, "slow")?.number == number) }
        #expect(schedule.waiting == 0)
    }

    /// A named layer has at most two of the three threads.
    @Test func holdsPiecesBeyondTheWidthOfTheirLayer() throws {
        var schedule = WorkSchedule(kinds(3, 3), depth: 20, layerWidth: 2)
        let running = (0..<5).compactMap { begin(&schedule, piece("slow", $0)) }
        #expect(running.map(\.piece.number) == [0, 1] && schedule.running == 2 && schedule.waiting == 3)
        let begun = begin(&schedule, piece("other", 10))
        let other = try #require(begun)
        #expect(begin(&schedule, piece("other", 11)) == nil)
        // The third thread is for other layers and is idle without them. A held piece starts only after a piece of its
        // own layer ends.
        let second = try next(&schedule, other, 1)
        #expect(second.piece.number == 11)
        #expect(schedule.next(after: second, seconds: 1) == nil && schedule.waiting == 3)
        let third = try next(&schedule, running[0], 1)
        #expect(third.piece.number == 2 && schedule.waiting == 2)
        // The withdrawn piece is gone, and the remaining pieces run.
        #expect(schedule.withdraw(3, of: nil, "slow")?.number == 3 && schedule.waiting == 1)
        let fourth = try next(&schedule, third, 1)
        #expect(fourth.piece.number == 4)
        #expect(schedule.next(after: running[1], seconds: 1) == nil)
        #expect(schedule.next(after: fourth, seconds: 1) == nil)
        #expect(schedule.running == 0 && schedule.waiting == 0)
        // The counts of the layer are zero again, so two pieces begin.
        #expect((0..<5).compactMap { begin(&schedule, piece("slow", $0)) }.count == 2)
    }

    @Test func withdrawnPiecesFreeTheirPlace() throws {
        var schedule = WorkSchedule(kinds(1, 1), depth: 20, layerWidth: 1)
        let begun = begin(&schedule, piece("other", 9))
        let other = try #require(begun)
        for number in 0..<3 { #expect(begin(&schedule, piece("slow", number)) == nil) }
        #expect(schedule.withdraw(0, of: nil, "slow")?.number == 0)
        let slow = try next(&schedule, other, 1)
        #expect(slow.piece.number == 1)
        #expect(try next(&schedule, slow, 1).piece.number == 2)
    }

    @Test func givesAllThreadsToPiecesWithoutALayer() throws {
        var schedule = WorkSchedule(kinds(3, 3), depth: 20, layerWidth: 2)
        #expect((0..<5).compactMap { begin(&schedule, piece("", $0)) }.count == 3)
    }

    /// Held pieces leave half of the queue to other layers. In the same way the pieces of a client leave room for other
    /// clients.
    @Test func heldPiecesLeaveRoomForOthers() throws {
        var schedule = WorkSchedule(kinds(3, 3), depth: 20, layerWidth: 1)
        var refused = 0
        for number in 0..<40 { if case .isRefused = schedule.admit(piece("slow", number)) { refused += 1 } }
        #expect(schedule.running == 1 && schedule.waiting == 11 && refused == 28)
        #expect(begin(&schedule, piece("other", 50)) != nil)
    }

    @Test func longPiecesLeaveAThreadFree() throws {
        var schedule = try schedule(width: 3, longWidth: 2, knowing: ["long": 0.5, "short": 0.001])
        let running = (0..<5).compactMap { begin(&schedule, piece("long", $0)) }
        #expect(running.map(\.piece.number) == [0, 1] && schedule.running == 2 && schedule.waiting == 3)
        let begun = begin(&schedule, piece("short", 10))
        let short = try #require(begun)
        for number in 11..<13 { #expect(begin(&schedule, piece("short", number)) == nil) }
        // The third thread runs the remaining short pieces and then becomes idle.
        let second = try next(&schedule, short, 0.001)
        let third = try next(&schedule, second, 0.001)
        #expect(second.piece.number == 11 && third.piece.number == 12)
        #expect(schedule.next(after: third, seconds: 0.001) == nil && schedule.running == 2)
        #expect(rest(of: &schedule, running, ["long": 0.5]) == [2, 3, 4])
        #expect(schedule.running == 0 && schedule.waiting == 0)
    }

    /// Short pieces have priority, but one thread is reserved for long pieces.
    @Test func reservesAThreadForLongPieces() throws {
        var schedule = try schedule(width: 3, longWidth: 2, knowing: ["long": 0.5, "short": 0.001])
        let running = (0..<8).compactMap { begin(&schedule, piece("short", $0)) }
        #expect(running.count == 3)
        for number in 10..<13 { #expect(begin(&schedule, piece("long", number)) == nil) }
        #expect(rest(of: &schedule, running, ["long": 0.5]) == [10, 3, 4, 11, 5, 6, 12, 7])
    }

    /// Each kind leaves a thread to shorter kinds and has a thread of its own while its pieces wait.
    @Test func momentsWaitForMomentsOnly() throws {
        var schedule = WorkSchedule(.sharing(2, longWidth: 1, niceness: 0), depth: 100)
        for (layer, cost) in ["long": 0.5, "short": 0.005, "moment": 0.001] {
            let begun = begin(&schedule, piece(layer))
            #expect(schedule.next(after: try #require(begun), seconds: cost) == nil)
        }
        let long = (0..<3).compactMap { begin(&schedule, piece("long", $0)) }
        let short = (10..<13).compactMap { begin(&schedule, piece("short", $0)) }
        let moments = (20..<23).compactMap { begin(&schedule, piece("moment", $0)) }
        #expect([long, short, moments].map(\.count) == [1, 2, 1] && schedule.running == 4)
        // The remaining thread runs moments until no moment waits.
        let second = try next(&schedule, moments[0], 0.001)
        let third = try next(&schedule, second, 0.001)
        #expect([second.piece.number, third.piece.number] == [21, 22])
        #expect(schedule.next(after: third, seconds: 0.001) == nil && schedule.running == 3)
        #expect(rest(of: &schedule, short, ["short": 0.005]) == [12])
        #expect(rest(of: &schedule, long, ["long": 0.5]) == [1, 2])
    }

    /// Pieces of unknown duration do not wait for long pieces, and known short pieces do not wait for unknown ones.
    @Test func unknownPiecesWaitForUnknownPiecesOnly() throws {
        var schedule = WorkSchedule(.sharing(2, longWidth: 1, niceness: 0), depth: 100)
        for (layer, cost) in ["long": 0.5, "short": 0.005, "moment": 0.001] {
            let begun = begin(&schedule, piece(layer))
            #expect(schedule.next(after: try #require(begun), seconds: cost) == nil)
        }
        let long = (0..<3).compactMap { begin(&schedule, piece("long", $0)) }
        let unknown = (10..<13).compactMap { begin(&schedule, piece("unknown", $0)) }
        let short = (20..<23).compactMap { begin(&schedule, piece("short", $0)) }
        let moments = (30..<33).compactMap { begin(&schedule, piece("moment", $0)) }
        #expect([long, unknown, short, moments].map(\.count) == [1, 1, 1, 1])
        // The unknown piece turns out to be long. Its thread now runs shorter pieces, until a piece of another unknown
        // layer comes.
        #expect(schedule.next(after: unknown[0], seconds: 0.3)?.piece.number == 31)
        #expect(begin(&schedule, piece("other", 40)) == nil)
        #expect(schedule.next(after: moments[0], seconds: 0.001)?.piece.number == 40)
    }

    /// The duration of a cancelled piece says nothing about its layer.
    @Test func cancelledPiecesDoNotMakeALayerShort() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["long": 0.5])
        for number in 1..<40 {
            let begun = begin(&schedule, piece("long", number))
            let running = try #require(begun)
            #expect(schedule.withdraw(number, of: nil, "long") == nil)
            #expect(schedule.next(after: running, seconds: 0.0001) == nil)
        }
        #expect((50..<53).compactMap { begin(&schedule, piece("long", $0)) }.count == 1)
    }

    /// The schedule learns that a layer is slow even if clients always leave before the end.
    @Test func learnsLongLayersFromCancelledPieces() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: [:])
        for (number, seconds) in [(1, 0.001), (2, 0.3)] {
            let begun = begin(&schedule, piece("long", number))
            let running = try #require(begun)
            #expect(schedule.withdraw(number, of: nil, "long") == nil)
            #expect(schedule.next(after: running, seconds: seconds) == nil)
        }
        #expect((50..<53).compactMap { begin(&schedule, piece("long", $0)) }.count == 1)
    }

    /// The schedule accepted all pieces while their duration was unknown. The end of the first piece shows that they
    /// are short, so all threads of that kind start at once.
    @Test func learnsFromTheFirstPiece() throws {
        var schedule = WorkSchedule(.sharing(2, longWidth: 1, niceness: 0), depth: 100)
        let running = (0..<6).compactMap { begin(&schedule, piece("a", $0)) }
        #expect(running.count == 2 && schedule.others().isEmpty)
        #expect(try next(&schedule, running[0], 0.001).piece.number == 2)
        #expect(schedule.others().map(\.piece.number) == [3, 4] && schedule.running == 4 && schedule.waiting == 1)
    }

    /// Pieces that turn out to be long must not use the thread that is reserved for unknown pieces.
    @Test func unexpectedlyLongPiecesLeaveAThreadFree() throws {
        var schedule = WorkSchedule(.sharing(2, longWidth: 1, niceness: 0), depth: 100)
        let running = (0..<5).compactMap { begin(&schedule, piece("long", $0)) }
        for number in 10..<12 { #expect(begin(&schedule, piece("other", number)) == nil) }
        // The thread changes to long pieces, because no long piece runs yet.
        let second = try next(&schedule, running[0], 0.5)
        #expect(second.piece.number == 2 && schedule.others().isEmpty)
        let other = try next(&schedule, running[1], 0.5)
        #expect(other.piece.number == 10 && schedule.others().isEmpty)
        #expect(rest(of: &schedule, [second], ["long": 0.5]) == [3, 4, 11])
    }

    @Test func forgetsASlowPiece() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["a": 0.05])
        for number in 0..<20 {
            let begun = begin(&schedule, piece("a", number))
            let running = try #require(begun)
            #expect(schedule.next(after: running, seconds: 0.001) == nil)
        }
        #expect(begin(&schedule, piece("a")) != nil && begin(&schedule, piece("a")) != nil)
    }

    /// The layer counts as long although most of its pieces are short and its long pieces are cancelled.
    @Test func treatsALayerWithSomeLongPiecesAsLong() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["some": 0.1])
        for number in 1..<100 {
            let begun = begin(&schedule, piece("some", number))
            let running = try #require(begun)
            let isLong = number.isMultiple(of: 4)
            if isLong { #expect(schedule.withdraw(number, of: nil, "some") == nil) }
            #expect(schedule.next(after: running, seconds: isLong ? 0.1 : 0.004) == nil)
        }
        #expect((200..<203).compactMap { begin(&schedule, piece("some", $0)) }.count == 1)
    }

    /// A single piece may be slow because the machine is busy with something else.
    @Test func ignoresASingleSlowPiece() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["a": 0.004])
        for seconds in [0.004, 0.006, 0.5, 0.005] {
            let begun = begin(&schedule, piece("a"))
            let running = try #require(begun)
            #expect(schedule.next(after: running, seconds: seconds) == nil)
        }
        #expect(begin(&schedule, piece("a")) != nil && begin(&schedule, piece("a")) != nil)
    }

    /// The first piece may include one-time setup costs.
    @Test func forgetsASlowFirstPieceQuickly() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["a": 0.05])
        for _ in 0..<6 {
            let begun = begin(&schedule, piece("a"))
            let running = try #require(begun)
            #expect(schedule.next(after: running, seconds: 0.002) == nil)
        }
        #expect(begin(&schedule, piece("a")) != nil && begin(&schedule, piece("a")) != nil)
    }

    @Test func measuresNothingWhenAllThreadsMayRunLong() throws {
        var schedule = try schedule(width: 2, longWidth: 2, knowing: ["long": 0.5])
        let running = (0..<4).compactMap { begin(&schedule, piece("long", $0)) }
        #expect(running.count == 2 && !schedule.measures)
        #expect(rest(of: &schedule, running, ["long": 0.5]) == [2, 3])
    }

    @Test func leavesRoomForOtherClients() {
        var schedule = WorkSchedule(kinds(1, 1), depth: 100)
        func fill(_ client: [UInt8]?) {
            for _ in 0..<1_000 {
                if case .isRefused = schedule.admit(piece("a", client: client)) { return }
            }
            Issue.record("the schedule refused nothing")
        }
        _ = schedule.admit(piece("a"))
        fill([1])
        #expect(schedule.waiting == 51)
        fill([2])
        #expect(schedule.waiting == 76)
        fill([1])
        #expect(schedule.waiting == 76)
        // Work without a client may fill the queue.
        fill(nil)
        #expect(schedule.waiting == 100)
    }

    @Test func withdrawnPiecesFreeTheirRoom() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["long": 0.5])
        let running = (0..<3).compactMap { begin(&schedule, piece("long", $0)) }
        #expect(running.count == 1 && schedule.waiting == 2)
        #expect(schedule.withdraw(1, of: nil, "long")?.number == 1)
        #expect(schedule.withdraw(1, of: nil, "long") == nil && schedule.waiting == 1)
        // A running piece cannot be withdrawn.
        #expect(schedule.withdraw(0, of: nil, "long") == nil)
        #expect(rest(of: &schedule, running, [:]) == [2])
    }

    // MARK: Overload

    private func piece(_ layer: String, _ number: Int, client: [UInt8]? = nil, within seconds: Double) -> WorkPiece {
        WorkPiece(number: number, client: client, layer: layer, longestWait: seconds) { _ in true }
    }

    private let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

    /// Returns a schedule with one thread, pieces that take half a second, and nine waiting pieces.
    private func busySchedule() throws -> WorkSchedule {
        var schedule = WorkSchedule(kinds(1, 1), depth: 100)
        let begun = begin(&schedule, piece("a"))
        #expect(schedule.next(after: try #require(begun), seconds: 0.5, held: 0.5, now) == nil)
        // Pieces that end without running do not change the estimate.
        for number in 20..<60 {
            let late = begin(&schedule, piece("a", number))
            #expect(schedule.next(after: try #require(late), seconds: 0, held: nil, now) == nil)
        }
        for number in 1...10 { _ = schedule.admit(piece("a", number, within: 100), now) }
        #expect(schedule.waiting == 9)
        return schedule
    }

    /// The tenth waiting piece would start after five seconds. The wait must be at most four fifths of the longest wait
    /// that the piece allows.
    @Test(arguments: [(6.3, nil as Int?), (6.2, 5), (0, 5), (.infinity, nil)])
    func refusesPiecesThatWouldStartTooLate(seconds: Double, retry: Int?) throws {
        var schedule = try busySchedule()
        switch schedule.admit(piece("a", 11, within: seconds), now) {
        case .waits: #expect(retry == nil)
        case .isRefused(let seconds): #expect(seconds == retry)
        case .begins: Issue.record("there is one thread")
        }
    }

    /// A client waits only for its own share, no matter how much others ask for.
    @Test func refusesOnlyTheClientOfTheCrowd() throws {
        var schedule = try busySchedule()
        guard case .isRefused = schedule.admit(piece("a", 11, within: 2), now) else {
            Issue.record("the crowd itself is refused")
            return
        }
        guard case .waits = schedule.admit(piece("a", 12, client: [1], within: 2), now) else {
            Issue.record("another client has its turn after the second")
            return
        }
    }

    /// Idle time of threads must not count as duration of a piece, neither before the first piece begins nor after.
    @Test func doesNotCountIdleTimeAsDuration() throws {
        var schedule = WorkSchedule(kinds(3, 2), depth: 100)
        for (layer, cost) in [("long", 0.5), ("short", 0.001)] {
            let begun = begin(&schedule, piece(layer))
            #expect(schedule.next(after: try #require(begun), seconds: cost, held: cost, now) == nil)
        }
        let shorts = (0..<3).compactMap { number -> WorkSchedule.Running? in
            if case .begins(let running) = schedule.admit(piece("short", number), now) { running } else { nil }
        }
        let later = now.adding(seconds: 3_600)
        let waits = { (schedule: inout WorkSchedule, number: Int) in
            if case .waits = schedule.admit(self.piece("long", number, within: 5), later) { true } else { false }
        }
        #expect(waits(&schedule, 4))
        let next = schedule.next(after: try #require(shorts.first), seconds: 0.001, held: 0.001, later)
        #expect(next?.piece.number == 4)
        #expect(waits(&schedule, 5))
    }
}

extension WorkSchedule {
    fileprivate mutating func next(after done: Running, seconds: Double) -> Running? {
        next(after: done, seconds: seconds, held: seconds, .zero)
    }

    fileprivate mutating func others() -> [Running] { others(.zero) }
}
