import Foundation
import MapGeometry
import TileSources
import Tiles

/// Measures tiles of GeoJSON files: `tilebench --geojson FILE ROUNDS Z/X/Y@SCALE…`. Prints a line for each tile: its
/// name, its size in pixels (0: no tile, -1: an error), the CPU times for drawing and for encoding in microseconds
/// (medians of `ROUNDS`), and the maximum memory of the process so far in KiB.
enum FileBench {
    /// Returns false if the arguments are wrong.
    static func run(_ arguments: some Collection<String>) throws -> Bool {
        let arguments = Array(arguments)
        guard arguments.count > 2, let rounds = Int(arguments[1]), rounds > 0 else { return false }
        let begin = now(CLOCK_PROCESS_CPUTIME_ID)
        let layer = try GeoJSONLayer(path: arguments[0], style: .standard)
        print("read", 0, Int(now(CLOCK_PROCESS_CPUTIME_ID) - begin), 0, memory)
        for name in arguments.dropFirst(2) {
            let numbers = name.split(whereSeparator: { "/@".contains($0) }).compactMap { Int($0) }
            guard numbers.count == 4, TileCoordinate(z: numbers[0], x: numbers[1], y: numbers[2]) != nil else {
                return false
            }
            let costs = try (0..<rounds).map { _ in try cost(of: numbers, layer) }
            let side = costs[0].side
            print(
                name, side, Int(costs.map(\.drawing).sorted()[rounds / 2]),
                Int(costs.map(\.encoding).sorted()[rounds / 2]), memory)
        }
        return true
    }

    private static func cost(
        of numbers: [Int], _ layer: GeoJSONLayer
    ) throws -> (side: Int, drawing: Double, encoding: Double) {
        let begin = now(CLOCK_PROCESS_CPUTIME_ID)
        let tile = try? layer.tile(x: numbers[1], y: numbers[2], zoom: numbers[0], scale: numbers[3])
        let drawn = now(CLOCK_PROCESS_CPUTIME_ID)
        switch tile {
        case .image(let pixmap):
            _ = try Tile(encoding: pixmap)
            return (pixmap.width, drawn - begin, now(CLOCK_PROCESS_CPUTIME_ID) - drawn)
        case .noTile: return (0, drawn - begin, 0)
        case .coarse(let pixmap, let growth):
            _ = try Tile(encoding: pixmap)
            return (-growth, drawn - begin, now(CLOCK_PROCESS_CPUTIME_ID) - drawn)
        case .encoded, nil: return (-1, drawn - begin, 0)
        }
    }

    private static var memory: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
    }
}
