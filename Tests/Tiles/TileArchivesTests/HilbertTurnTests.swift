import MapGeometry
import Testing

@testable import TileArchives

@Suite struct HilbertTurnTests {
    @Test(arguments: 0...6) func childrenFollowTheCurve(_ zoom: Int) {
        var nodes = [HilbertNode.world]
        for _ in 0..<zoom { nodes = nodes.flatMap { node in (0...3).map { node.child($0) } } }
        let ids = nodes.map { PMTilesTileID(tile($0.z, $0.x, $0.y)).value }
        let first = PMTilesTileID(tile(zoom, 0, 0)).value
        #expect(ids == (0..<UInt64(1 << (2 * zoom))).map { first + $0 })
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
