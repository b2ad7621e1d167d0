import Synchronization
import Testing

@testable import Reactor

@Suite struct WorkLanesTests {
    private func piece(_ client: [UInt8]?, _ layer: String, _ log: Log? = nil, _ number: Int = 0) -> WorkPiece {
        WorkPiece(number: number, client: client, layer: layer) {
            log?.add("\(client.map { "\($0[0])" } ?? "-")\(layer)")
        }
    }

    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    @Test func clientsAndTheirLayersTakeTurns() {
        var lanes = WorkLanes()
        let log = Log()
        for _ in 0..<3 { lanes.append(piece([1], "sea", log)) }
        for _ in 0..<2 { lanes.append(piece([1], "land", log)) }
        lanes.append(piece([2], "sea", log))
        lanes.append(piece(nil, "ice", log))
        #expect(lanes.count == 7)
        while let piece = lanes.popFirst() { piece.run() }
        #expect(log.all == ["1sea", "2sea", "-ice", "1land", "1sea", "1land", "1sea"])
        #expect(lanes.count == 0)
    }

    /// A client that comes back has no turn left over from before, and none to make up for.
    @Test func aClientThatComesBackStandsBehindThoseThatWait() {
        var lanes = WorkLanes()
        let log = Log()
        lanes.append(piece([1], "a", log))
        lanes.popFirst()?.run()
        lanes.append(piece([2], "a", log))
        lanes.append(piece([1], "a", log))
        while let piece = lanes.popFirst() { piece.run() }
        #expect(log.all == ["1a", "2a", "1a"])
    }

    @Test func whatIsRemovedLeavesNoTurnBehind() {
        var lanes = WorkLanes()
        let log = Log()
        for number in 0..<3 { lanes.append(piece([1], "a", log, number)) }
        lanes.append(piece([1], "b", log, 3))
        lanes.append(piece([2], "a", log, 4))
        #expect(lanes.remove(1, of: [1], "a")?.number == 1)
        // Not there, or not there any more.
        #expect(lanes.remove(1, of: [1], "a") == nil)
        #expect(lanes.remove(0, of: [2], "a") == nil && lanes.remove(0, of: [3], "a") == nil)
        #expect(lanes.remove(4, of: [2], "a")?.number == 4)
        #expect(lanes.remove(3, of: [1], "b")?.number == 3)
        #expect(lanes.count == 2 && lanes.count(of: [1]) == 2 && lanes.count(of: [2]) == 0)
        lanes.append(piece([2], "c", log, 5))
        while let piece = lanes.popFirst() { piece.run() }
        #expect(log.all == ["1a", "2c", "1a"] && lanes.count == 0)
    }
}

extension WorkPiece: Equatable {
    public static func == (left: WorkPiece, right: WorkPiece) -> Bool { left.number == right.number }
}
