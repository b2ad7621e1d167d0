import Synchronization
import Testing

@testable import Reactor

@Suite struct WorkLanesTests {
    private func piece(_ client: [UInt8]?, _ layer: String, _ log: Log? = nil) -> WorkLanes.Piece {
        WorkLanes.Piece(client: client, layer: layer) { log?.add("\(client.map { "\($0[0])" } ?? "-")\(layer)") }
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

    @Test func oneClientLeavesRoomForOthers() {
        var lanes = WorkLanes()
        let crowd = piece([1], "a")
        while lanes.admits(crowd, depth: 100) { lanes.append(crowd) }
        #expect(lanes.count == 51)
        let other = piece([2], "a")
        while lanes.admits(other, depth: 100) { lanes.append(other) }
        #expect(lanes.count == 76 && !lanes.admits(crowd, depth: 100))
        // Work of nobody in particular may fill the queue.
        let own = piece(nil, "a")
        while lanes.admits(own, depth: 100) { lanes.append(own) }
        #expect(lanes.count == 100)
    }
}
