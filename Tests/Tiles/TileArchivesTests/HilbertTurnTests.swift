import MapGeometry
import Testing

@testable import TileArchives

@Suite struct HilbertTurnTests {
    /// Tile IDs that PMTiles' own library computes (PMTiles 3, Tile IDs).
    private static let ids: [(tile: TileCoordinate, id: UInt64)] = [
        (tile(0, 0, 0), 0), (tile(1, 0, 0), 1), (tile(1, 0, 1), 2), (tile(1, 1, 1), 3), (tile(1, 1, 0), 4),
        (tile(2, 0, 0), 5), (tile(2, 3, 0), 20), (tile(5, 17, 11), 1_209), (tile(12, 3_423, 1_763), 19_078_479),
        (tile(20, 548_000, 367_123), 1_300_434_762_852),
        (tile(30, 1_073_741_823, 0), 1_537_228_672_809_129_300),
        (tile(30, 536_870_912, 536_870_911), 1_345_075_088_707_988_138),
    ]

    @Test(arguments: ids) func positionsEqualTileIDsOfTheSpecification(_ row: (tile: TileCoordinate, id: UInt64)) {
        let first = ((1 << UInt64(2 * row.tile.z)) - 1) / 3 as UInt64
        #expect(first + HilbertTurn.position(of: row.tile) == row.id)
    }

    @Test(arguments: 0...6) func childrenFollowTheCurve(_ zoom: Int) {
        var nodes = [HilbertNode.world]
        for _ in 0..<zoom { nodes = nodes.flatMap { node in (0...3).map { node.child($0) } } }
        let positions = nodes.map { HilbertTurn.position(of: tile($0.z, $0.x, $0.y)) }
        #expect(positions == (0..<UInt64(1 << (2 * zoom))).map { $0 })
        // Neighbours on the curve are neighbours on the map.
        for (node, next) in zip(nodes, nodes.dropFirst()) {
            #expect(abs(node.x - next.x) + abs(node.y - next.y) == 1)
        }
    }

    @Test func refusesTilesThatAreOutOfOrder() throws {
        var order = TileOrder()
        try order.check(tile(1, 0, 1))
        #expect(throws: TileArchiveError.outOfOrder(tile(1, 0, 0), after: tile(1, 0, 1))) {
            try order.check(tile(1, 0, 0))
        }
        #expect(throws: TileArchiveError.self) { try order.check(tile(1, 0, 1)) }
        #expect(throws: TileArchiveError.self) { try order.check(tile(0, 0, 0)) }
        try order.check(tile(1, 1, 1))
        try order.check(tile(2, 0, 0))
        #expect(order.zooms == 1...2)
    }
}
