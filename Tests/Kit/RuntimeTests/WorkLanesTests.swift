import Testing

@testable import Runtime

@Suite struct WorkLanesTests {
    private func piece(_ client: [UInt8]?, _ layer: String, _ number: Int = 0) -> WorkPiece {
        WorkPiece(number: number, client: client, layer: layer) { _ in true }
    }

    private static func cost(_ piece: WorkPiece) -> Double { ["long": 4, "short": 0.5][piece.layer] ?? 1 }

    private func next(of lanes: inout WorkLanes) -> Int? { lanes.popFirst(Self.cost)?.number }

    /// Returns the numbers of all waiting pieces in the order in which the lanes serve them.
    private func rest(of lanes: inout WorkLanes) -> [Int] {
        var numbers: [Int] = []
        while let number = next(of: &lanes) { numbers.append(number) }
        return numbers
    }

    @Test func alternatesClientsAndTheirLayers() {
        var lanes = WorkLanes()
        for number in 0..<3 { lanes.append(piece([1], "sea", number), Self.cost) }
        for number in 3..<5 { lanes.append(piece([1], "land", number), Self.cost) }
        lanes.append(piece([2], "sea", 5), Self.cost)
        lanes.append(piece(nil, "ice", 6), Self.cost)
        #expect(lanes.count == 7)
        #expect(rest(of: &lanes) == [0, 5, 6, 3, 1, 4, 2])
        #expect(lanes.count == 0)
    }

    @Test func sharesTimeBetweenClients() {
        var lanes = WorkLanes()
        for number in 0..<3 { lanes.append(piece([1], "long", number), Self.cost) }
        for number in 10..<18 { lanes.append(piece([2], "short", number), Self.cost) }
        #expect(rest(of: &lanes) == [10, 0, 11, 12, 13, 14, 15, 16, 17, 1, 2])
    }

    @Test func sharesTimeBetweenLayersOfAClient() {
        var lanes = WorkLanes()
        for number in 0..<3 { lanes.append(piece([1], "long", number), Self.cost) }
        for number in 10..<20 { lanes.append(piece([1], "short", number), Self.cost) }
        #expect(rest(of: &lanes) == [10, 0, 11, 12, 13, 14, 15, 16, 17, 18, 1, 19, 2])
    }

    /// A client that asks for less than an equal share of the time comes before most others. Only clients that would
    /// end as soon go first: an eighth of the clients, because its piece takes an eighth of the time of theirs.
    @Test func servesLightClientsQuickly() {
        var lanes = WorkLanes()
        for client in 1...100 as ClosedRange<UInt8> {
            for number in 0..<20 { lanes.append(piece([client], "long", number), Self.cost) }
        }
        for _ in 0..<50 {
            for _ in 0..<30 { #expect(next(of: &lanes) != nil) }
            lanes.append(piece([200], "short", 777), Self.cost)
            #expect((0...100 / 8).contains { _ in next(of: &lanes) == 777 })
        }
    }

    /// A new client goes before clients that have had more time, but new clients must not starve the others.
    @Test func newClientsDoNotStarveOthers() {
        var lanes = WorkLanes()
        for number in 1...2 { lanes.append(piece([1], "a", number), Self.cost) }
        #expect(next(of: &lanes) == 1)
        var waited = 0
        for client in 2..<100 as Range<UInt8> {
            for part in 0..<2 as Range<UInt8> { lanes.append(piece([client, part], "a"), Self.cost) }
            guard next(of: &lanes) == 0 else { break }
            waited += 1
        }
        #expect(waited < 10)
    }

    /// A returning client has no credit from its idle time. It also has no debt once other clients have had as much
    /// time.
    @Test func placesAReturningClientBehindWaitingClients() {
        var lanes = WorkLanes()
        lanes.append(piece([1], "a", 1), Self.cost)
        #expect(next(of: &lanes) == 1)
        lanes.append(piece([2], "a", 2), Self.cost)
        lanes.append(piece([1], "a", 3), Self.cost)
        #expect(rest(of: &lanes) == [2, 3])
        for number in 10..<20 { lanes.append(piece([2], "a", number), Self.cost) }
        #expect((0..<5).map { _ in next(of: &lanes) } == [10, 11, 12, 13, 14])
        for number in 20..<23 { lanes.append(piece([1], "a", number), Self.cost) }
        #expect(rest(of: &lanes) == [15, 20, 16, 21, 17, 22, 18, 19])
    }

    /// With many clients the lanes forget how much time each client has had. They never forget waiting pieces.
    @Test func neverForgetsWaitingPieces() {
        var lanes = WorkLanes()
        for number in 0..<2_000 {
            lanes.append(piece([UInt8(number / 256), UInt8(number % 256)], "a", number), Self.cost)
            if number % 2 == 1 { #expect(next(of: &lanes) != nil) }
        }
        #expect(Set(rest(of: &lanes)).count == 1_000 && lanes.count == 0)
    }

    @Test func removedPiecesLeaveNoTurnBehind() {
        var lanes = WorkLanes()
        for number in 0..<3 { lanes.append(piece([1], "a", number), Self.cost) }
        lanes.append(piece([1], "b", 3), Self.cost)
        lanes.append(piece([2], "a", 4), Self.cost)
        #expect(lanes.remove(1, of: [1], "a")?.number == 1)
        // The piece is not in this lane, or it has been removed before.
        #expect(lanes.remove(1, of: [1], "a") == nil)
        #expect(lanes.remove(0, of: [2], "a") == nil && lanes.remove(0, of: [3], "a") == nil)
        #expect(lanes.remove(4, of: [2], "a")?.number == 4)
        #expect(lanes.remove(3, of: [1], "b")?.number == 3)
        #expect(lanes.count == 2 && lanes.count(of: [1]) == 2 && lanes.count(of: [2]) == 0)
        lanes.append(piece([2], "c", 5), Self.cost)
        #expect(rest(of: &lanes) == [0, 5, 2] && lanes.count == 0)
    }

    @Test func removesAllPiecesOfALayer() {
        var lanes = WorkLanes()
        for number in 0..<3 { lanes.append(piece([1], "a", number), Self.cost) }
        lanes.append(piece([1], "b", 3), Self.cost)
        for number in 4..<6 { lanes.append(piece([2], "a", number), Self.cost) }
        #expect(lanes.removeAll(of: "c").isEmpty && lanes.count == 6)
        #expect(lanes.removeAll(of: "a").map(\.number) == [0, 1, 2, 4, 5])
        #expect(lanes.count == 1 && lanes.count(of: [1]) == 1 && lanes.count(of: [2]) == 0)
        lanes.append(piece([2], "a", 6), Self.cost)
        #expect(rest(of: &lanes) == [3, 6])
    }
}

extension WorkPiece: Equatable {
    public static func == (left: WorkPiece, right: WorkPiece) -> Bool { left.number == right.number }
}
