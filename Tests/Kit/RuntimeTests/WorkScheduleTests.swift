import Testing

@testable import Runtime

@Suite struct WorkScheduleTests {
    private func piece(_ layer: String, _ number: Int = 0, client: [UInt8]? = nil) -> WorkPiece {
        WorkPiece(number: number, client: client, layer: layer) { _ in true }
    }

    /// The numbers of the pieces in the order in which one thread after the other becomes free, each after `seconds` by layer.
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

    /// Two kinds, or one.
    private func kinds(_ width: Int, _ longWidth: Int) -> [WorkSchedule.Kind] {
        let long = WorkSchedule.Kind(seconds: .infinity, width: longWidth)
        return longWidth < width ? [WorkSchedule.Kind(seconds: 0.01, width: width), long] : [long]
    }

    /// A schedule that knows how long the pieces of some layers take.
    private func schedule(width: Int, longWidth: Int, knowing costs: [String: Double]) throws -> WorkSchedule {
        var schedule = WorkSchedule(kinds(width, longWidth), depth: 100)
        for (layer, cost) in costs {
            let begun = begin(&schedule, piece(layer))
            let running = try #require(begun)
            #expect(schedule.next(after: running, seconds: cost) == nil)
        }
        return schedule
    }

    @Test func takesOutThoseThatWaitForAThreadOrForTheirLayer() {
        var schedule = WorkSchedule(kinds(1, 1), depth: 20, layerWidth: 2)
        for number in 0..<6 { _ = schedule.admit(piece("slow", number)) }
        // 0 runs, 1 waits for a thread, the others for their layer's.
        for number in 1...3 { #expect(schedule.withdraw(number, of: nil, "slow")?.number == number) }
        #expect(schedule.waiting == 2)
        for number in 0...3 { #expect(schedule.withdraw(number, of: nil, "slow") == nil) }
        for number in 4...5 { #expect(schedule.withdraw(number, of: nil, "slow")?.number == number) }
        #expect(schedule.waiting == 0)
    }

    /// A layer with a name holds two of three threads at most.
    @Test func holdsPiecesOfALayerBeyondItsWidth() throws {
        var schedule = WorkSchedule(kinds(3, 3), depth: 20, layerWidth: 2)
        let running = (0..<5).compactMap { begin(&schedule, piece("slow", $0)) }
        #expect(running.map(\.piece.number) == [0, 1] && schedule.running == 2 && schedule.waiting == 3)
        let begun = begin(&schedule, piece("other", 10))
        let other = try #require(begun)
        #expect(begin(&schedule, piece("other", 11)) == nil)
        // The third thread is for other layers, and rests without them. A held piece follows a piece of its layer.
        let second = try next(&schedule, other, 1)
        #expect(second.piece.number == 11)
        #expect(schedule.next(after: second, seconds: 1) == nil && schedule.waiting == 3)
        let third = try next(&schedule, running[0], 1)
        #expect(third.piece.number == 2 && schedule.waiting == 2)
        // A withdrawn piece is gone, and the others go on.
        #expect(schedule.withdraw(3, of: nil, "slow")?.number == 3 && schedule.waiting == 1)
        let fourth = try next(&schedule, third, 1)
        #expect(fourth.piece.number == 4)
        #expect(schedule.next(after: running[1], seconds: 1) == nil)
        #expect(schedule.next(after: fourth, seconds: 1) == nil)
        #expect(schedule.running == 0 && schedule.waiting == 0)
        // No count is left over: two pieces begin again.
        #expect((0..<5).compactMap { begin(&schedule, piece("slow", $0)) }.count == 2)
    }

    @Test func aPieceThatIsReleasedAndWithdrawnLeavesItsPlace() throws {
        var schedule = WorkSchedule(kinds(1, 1), depth: 20, layerWidth: 1)
        let begun = begin(&schedule, piece("other", 9))
        let other = try #require(begun)
        for number in 0..<3 { #expect(begin(&schedule, piece("slow", number)) == nil) }
        #expect(schedule.withdraw(0, of: nil, "slow")?.number == 0)
        let slow = try next(&schedule, other, 1)
        #expect(slow.piece.number == 1)
        #expect(try next(&schedule, slow, 1).piece.number == 2)
    }

    @Test func piecesWithoutALayerHaveAllThreads() throws {
        var schedule = WorkSchedule(kinds(3, 3), depth: 20, layerWidth: 2)
        #expect((0..<5).compactMap { begin(&schedule, piece("", $0)) }.count == 3)
    }

    /// Held pieces leave half of the room to other layers, as the pieces of a client do to other clients.
    @Test func heldPiecesLeaveRoomForOthers() throws {
        var schedule = WorkSchedule(kinds(3, 3), depth: 20, layerWidth: 1)
        var refused = 0
        for number in 0..<40 { if case .isRefused = schedule.admit(piece("slow", number)) { refused += 1 } }
        #expect(schedule.running == 1 && schedule.waiting == 11 && refused == 28)
        #expect(begin(&schedule, piece("other", 50)) != nil)
    }

    @Test func whatTakesLongLeavesAThread() throws {
        var schedule = try schedule(width: 3, longWidth: 2, knowing: ["long": 0.5, "short": 0.001])
        let running = (0..<5).compactMap { begin(&schedule, piece("long", $0)) }
        #expect(running.map(\.piece.number) == [0, 1] && schedule.running == 2 && schedule.waiting == 3)
        let begun = begin(&schedule, piece("short", 10))
        let short = try #require(begun)
        for number in 11..<13 { #expect(begin(&schedule, piece("short", number)) == nil) }
        // The third thread goes on with its like, and then rests.
        let second = try next(&schedule, short, 0.001)
        let third = try next(&schedule, second, 0.001)
        #expect(second.piece.number == 11 && third.piece.number == 12)
        #expect(schedule.next(after: third, seconds: 0.001) == nil && schedule.running == 2)
        #expect(rest(of: &schedule, running, ["long": 0.5]) == [2, 3, 4])
        #expect(schedule.running == 0 && schedule.waiting == 0)
    }

    /// What takes a moment goes first, but on one thread.
    @Test func whatTakesLongHasAThread() throws {
        var schedule = try schedule(width: 3, longWidth: 2, knowing: ["long": 0.5, "short": 0.001])
        let running = (0..<8).compactMap { begin(&schedule, piece("short", $0)) }
        #expect(running.count == 3)
        for number in 10..<13 { #expect(begin(&schedule, piece("long", number)) == nil) }
        #expect(rest(of: &schedule, running, ["long": 0.5]) == [10, 3, 4, 11, 5, 6, 12, 7])
    }

    /// Each kind leaves a thread to those that take less, and has one while it waits.
    @Test func aMomentWaitsForItsLikeOnly() throws {
        var schedule = WorkSchedule(.sharing(2, longWidth: 1, niceness: 0), depth: 100)
        for (layer, cost) in ["long": 0.5, "short": 0.005, "moment": 0.001] {
            let begun = begin(&schedule, piece(layer))
            #expect(schedule.next(after: try #require(begun), seconds: cost) == nil)
        }
        let long = (0..<3).compactMap { begin(&schedule, piece("long", $0)) }
        let short = (10..<13).compactMap { begin(&schedule, piece("short", $0)) }
        let moments = (20..<23).compactMap { begin(&schedule, piece("moment", $0)) }
        #expect([long, short, moments].map(\.count) == [1, 2, 1] && schedule.running == 4)
        // The thread that is left is that of moments, until none waits.
        let second = try next(&schedule, moments[0], 0.001)
        let third = try next(&schedule, second, 0.001)
        #expect([second.piece.number, third.piece.number] == [21, 22])
        #expect(schedule.next(after: third, seconds: 0.001) == nil && schedule.running == 3)
        #expect(rest(of: &schedule, short, ["short": 0.005]) == [12])
        #expect(rest(of: &schedule, long, ["long": 0.5]) == [1, 2])
    }

    /// What is not known yet waits for nothing that takes long, and nothing that does not waits for it.
    @Test func anUnknownLayerWaitsForItsLikeOnly() throws {
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
        // It turns out to take long, and its thread is for what is shorter, until there is another of which nobody knows.
        #expect(schedule.next(after: unknown[0], seconds: 0.3)?.piece.number == 31)
        #expect(begin(&schedule, piece("other", 40)) == nil)
        #expect(schedule.next(after: moments[0], seconds: 0.001)?.piece.number == 40)
    }

    /// Of what is cut short nobody knows how long it takes.
    @Test func aCrowdThatLeavesDoesNotMakeLongWorkShort() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["long": 0.5])
        for number in 1..<40 {
            let begun = begin(&schedule, piece("long", number))
            let running = try #require(begun)
            #expect(schedule.withdraw(number, of: nil, "long") == nil)
            #expect(schedule.next(after: running, seconds: 0.0001) == nil)
        }
        #expect((50..<53).compactMap { begin(&schedule, piece("long", $0)) }.count == 1)
    }

    /// That a layer takes long is known also where nobody ever waits for the end.
    @Test func aCrowdThatLeavesDoesNotHideLongWork() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: [:])
        for (number, seconds) in [(1, 0.001), (2, 0.3)] {
            let begun = begin(&schedule, piece("long", number))
            let running = try #require(begun)
            #expect(schedule.withdraw(number, of: nil, "long") == nil)
            #expect(schedule.next(after: running, seconds: seconds) == nil)
        }
        #expect((50..<53).compactMap { begin(&schedule, piece("long", $0)) }.count == 1)
    }

    /// All were taken in when nobody knew; the first that is done tells of the rest, which has all threads of its kind at once.
    @Test func learnsFromTheFirst() throws {
        var schedule = WorkSchedule(.sharing(2, longWidth: 1, niceness: 0), depth: 100)
        let running = (0..<6).compactMap { begin(&schedule, piece("a", $0)) }
        #expect(running.count == 2 && schedule.others().isEmpty)
        #expect(try next(&schedule, running[0], 0.001).piece.number == 2)
        #expect(schedule.others().map(\.piece.number) == [3, 4] && schedule.running == 4 && schedule.waiting == 1)
    }

    /// What turns out to take long goes on without the thread that is for others which nobody knows.
    @Test func whatTurnsOutToTakeLongLeavesAThread() throws {
        var schedule = WorkSchedule(.sharing(2, longWidth: 1, niceness: 0), depth: 100)
        let running = (0..<5).compactMap { begin(&schedule, piece("long", $0)) }
        for number in 10..<12 { #expect(begin(&schedule, piece("other", number)) == nil) }
        // Its thread is one for what takes long, of which nothing runs.
        let second = try next(&schedule, running[0], 0.5)
        #expect(second.piece.number == 2 && schedule.others().isEmpty)
        let other = try next(&schedule, running[1], 0.5)
        #expect(other.piece.number == 10 && schedule.others().isEmpty)
        #expect(rest(of: &schedule, [second], ["long": 0.5]) == [3, 4, 11])
    }

    @Test func forgetsOneSlowPieceAfterAWhile() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["a": 0.05])
        for number in 0..<20 {
            let begun = begin(&schedule, piece("a", number))
            let running = try #require(begun)
            #expect(schedule.next(after: running, seconds: 0.001) == nil)
        }
        #expect(begin(&schedule, piece("a")) != nil && begin(&schedule, piece("a")) != nil)
    }

    /// Though most of its pieces take little, and long ones are cut short.
    @Test func aLayerOfWhichSomeTakesLongIsLong() throws {
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

    /// As when the machine does something else.
    @Test func oneSlowPieceDoesNotMakeALayerSlow() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["a": 0.004])
        for seconds in [0.004, 0.006, 0.5, 0.005] {
            let begun = begin(&schedule, piece("a"))
            let running = try #require(begun)
            #expect(schedule.next(after: running, seconds: seconds) == nil)
        }
        #expect(begin(&schedule, piece("a")) != nil && begin(&schedule, piece("a")) != nil)
    }

    /// The first may have paid for what is made once.
    @Test func aSlowBeginningIsSoonForgotten() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["a": 0.05])
        for _ in 0..<6 {
            let begun = begin(&schedule, piece("a"))
            let running = try #require(begun)
            #expect(schedule.next(after: running, seconds: 0.002) == nil)
        }
        #expect(begin(&schedule, piece("a")) != nil && begin(&schedule, piece("a")) != nil)
    }

    @Test func tellsNothingApartWhereAllMayTakeLong() throws {
        var schedule = try schedule(width: 2, longWidth: 2, knowing: ["long": 0.5])
        let running = (0..<4).compactMap { begin(&schedule, piece("long", $0)) }
        #expect(running.count == 2 && !schedule.measures)
        #expect(rest(of: &schedule, running, ["long": 0.5]) == [2, 3])
    }

    @Test func oneClientLeavesRoomForOthers() {
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
        // Work of nobody in particular may fill the queue.
        fill(nil)
        #expect(schedule.waiting == 100)
    }

    @Test func whatIsWithdrawnLeavesItsRoom() throws {
        var schedule = try schedule(width: 2, longWidth: 1, knowing: ["long": 0.5])
        let running = (0..<3).compactMap { begin(&schedule, piece("long", $0)) }
        #expect(running.count == 1 && schedule.waiting == 2)
        #expect(schedule.withdraw(1, of: nil, "long")?.number == 1)
        #expect(schedule.withdraw(1, of: nil, "long") == nil && schedule.waiting == 1)
        // What runs stays.
        #expect(schedule.withdraw(0, of: nil, "long") == nil)
        #expect(rest(of: &schedule, running, [:]) == [2])
    }

    // MARK: Overload

    private func piece(_ layer: String, _ number: Int, client: [UInt8]? = nil, within seconds: Double) -> WorkPiece {
        WorkPiece(number: number, client: client, layer: layer, longestWait: seconds) { _ in true }
    }

    private let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

    /// A thread of pieces that take half a second, of which nine wait.
    private func busySchedule() throws -> WorkSchedule {
        var schedule = WorkSchedule(kinds(1, 1), depth: 100)
        let begun = begin(&schedule, piece("a"))
        #expect(schedule.next(after: try #require(begun), seconds: 0.5, held: 0.5, now) == nil)
        // What was not begun has no say.
        for number in 20..<60 {
            let late = begin(&schedule, piece("a", number))
            #expect(schedule.next(after: try #require(late), seconds: 0, held: nil, now) == nil)
        }
        for number in 1...10 { _ = schedule.admit(piece("a", number, within: 100), now) }
        #expect(schedule.waiting == 9)
        return schedule
    }

    /// The tenth to wait has its turn after five seconds, and is to have it within four fifths of what it may wait.
    @Test(arguments: [(6.3, nil as Int?), (6.2, 5), (0, 5), (.infinity, nil)])
    func refusesAtOnceWhatWouldComeTooLate(seconds: Double, retry: Int?) throws {
        var schedule = try busySchedule()
        switch schedule.admit(piece("a", 11, within: seconds), now) {
        case .waits: #expect(retry == nil)
        case .isRefused(let seconds): #expect(seconds == retry)
        case .begins: Issue.record("there is one thread")
        }
    }

    /// A client waits for its share, whatever others ask for.
    @Test func aCrowdOfOneDoesNotHaveOthersRefused() throws {
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

    /// Threads that were idle for long say nothing about how long a piece takes, neither before the first begins nor after.
    @Test func idlenessIsNoWait() throws {
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
