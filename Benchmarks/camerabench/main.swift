import Foundation
import MapGeometry
import MapRenderer
import Raster

// Draws pictures of cameras for scripts/bench:
//
//     camerabench time ANGLE BEARING COUNT   microseconds of CPU for each of COUNT pictures of 800 × 600, one per line
//     camerabench draw ANGLE BEARING FILE    the picture's pixels, RGBA
//     camerabench memory ANGLE               maximum memory of the largest picture in KiB, without its tiles

/// Returns the CPU time of this process in microseconds.
func cpuTime() -> Double { Double(clock()) }

/// Returns a value of /proc/self/status in KiB.
func status(_ name: String) throws -> Int {
    let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
    let line = lines.first { $0.hasPrefix(name + ":") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

func memory(_ angle: Double) throws -> Int {
    let bench = try CameraBench(width: 4096, height: 2048, angle: angle, bearing: 30)
    // Resets the peak memory (proc(5), clear_refs).
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let before = try status("VmRSS")
    var picture = bench.picture()
    let corners = [(-33.9, 151.1), (-33.9, 151.3), (-33.8, 151.3), (-33.8, 151.1)]
    let places = corners.compactMap { Coordinate(validating: $0.0, longitude: $0.1) }
    let area = GroundPath(
        places, isClosed: true, stroke: nil, fill: RGBA(red: 200, green: 30, blue: 30, alpha: 90))
    MapImage.draw([.path(area), .attribution(Attribution("Nobody"))], on: &picture, of: bench.plan)
    return try status("VmHWM") - before
}

let words = Array(CommandLine.arguments.dropFirst())
do {
    if words.count == 4, let angle = Double(words[1]), let bearing = Double(words[2]) {
        let bench = try CameraBench(width: 800, height: 600, angle: angle, bearing: bearing)
        if words[0] == "draw" {
            try Data(bench.picture().bytes).write(to: URL(fileURLWithPath: words[3]))
        } else if words[0] == "time", let count = Int(words[3]) {
            // The first picture also pays for new memory, so it is not measured.
            _ = bench.picture()
            for _ in 0..<count {
                let start = cpuTime()
                _ = bench.picture()
                print(cpuTime() - start)
            }
        }
    } else if words.count == 2, words[0] == "memory", let angle = Double(words[1]) {
        print(try memory(angle))
    } else {
        print("usage: camerabench time ANGLE BEARING COUNT | draw ANGLE BEARING FILE | memory ANGLE")
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("camerabench: \(error)\n".utf8))
    exit(1)
}

/// Pictures of one camera over tiles from a formula. scripts/support/perspective.py has the same formula.
struct CameraBench {
    let plan: RenderPlan
    let tiles: [[TileCoordinate: Pixmap]]

    /// Plans a picture of Sydney's harbour at zoom 16, `width` by `height` points.
    init(width: Double, height: Double, angle: Double, bearing: Double) throws {
        let view = MapView(viewport: try Viewport.checked(width: width, height: height))
        let camera = try CameraPosition.checked(
            latitude: -33.8683, longitude: 151.2086, zoom: 16, bearing: bearing, viewingAngle: angle)
        plan = RenderPlan(projection: try view.projection(of: camera), layers: [RenderLayer(zooms: 0...22)])
        tiles = plan.layers.map { layer in
            Dictionary(uniqueKeysWithValues: layer.tiles.map { ($0, Self.tile($0)) })
        }
    }

    /// Returns a tile of colour gradients that cross the borders of tiles. The gradients have the same steepness on the
    /// ground at all zooms up to 16.
    private static func tile(_ place: TileCoordinate) -> Pixmap {
        let step = 1 << max(0, 16 - place.z)
        var pixmap = Pixmap(width: 256, height: 256)
        pixmap.bytes.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: RGBA.self)
            for index in 0..<65_536 {
                let x = (place.x * 256 + index % 256) * step + step / 2
                let y = (place.y * 256 + index / 256) * step + step / 2
                pixels[index] = RGBA(red: slope(x * 5), green: slope(y * 3), blue: slope((x + 2 * y) * 2))
            }
        }
        return pixmap
    }

    private static func slope(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: abs(value % 510 - 255))
    }

    /// Returns the picture. Makes a new plan each time.
    func picture() -> Pixmap {
        let plan = RenderPlan(projection: plan.projection, layers: plan.layers.map(\.layer))
        return MapImage.render(plan, tiles: tiles)
    }
}
