import Foundation
import JSON
import MapGeometry
import Raster
import TileSources
import Tiles

/// Compares the borders of tiles with a picture of four tiles at once: `tilebench --borders FILE COUNT SEED`. The file
/// is a FeatureCollection of points. Draws lots for a point, a zoom from 1 to 14 and a scale from 1 to 4. Prints the
/// number of borders that were compared, and each place that differs.
enum BorderCheck {
    /// Returns false if the arguments are wrong. `isEqual` is false if a border differs.
    static func run(_ arguments: some Collection<String>) throws -> (isUsage: Bool, isEqual: Bool) {
        let words = Array(arguments)
        guard words.count == 3, let count = Int(words[1]), let seed = UInt64(words[2]) else { return (false, false) }
        let layer = try layer(words[0])
        let places = try places(in: words[0])
        var lots = SeededGenerator(state: seed)
        var (compared, differing, inked) = (0, 0, 0)
        // Some pictures have nothing to compare.
        for _ in 0..<4 * count where compared < count {
            let zoom = Int.random(in: 1...14, using: &lots)
            let scale = Int.random(in: 1...4, using: &lots)
            guard let place = places.randomElement(using: &lots) else { return (false, false) }
            let (last, side) = ((1 << zoom) - 2, Double(1 << zoom))
            // The place lies in one of the four tiles.
            let x = min(max(Int(place.x * side) - Int.random(in: 0...1, using: &lots), 0), last)
            let y = min(max(Int(place.y * side) - Int.random(in: 0...1, using: &lots), 0), last)
            let (borders, isEqual, hasInk) = try compare(layer, x: x, y: y, zoom: zoom, scale: scale)
            guard hasInk else { continue }
            compared += borders
            inked += 1
            if !isEqual {
                differing += 1
                print("differs: \(zoom)/\(x)/\(y)@\(scale)")
            }
        }
        print("\(compared) borders of \(inked) pictures with seed \(seed): \(differing) pictures differ")
        return (true, differing == 0 && compared >= count)
    }

    /// Returns a layer with the names of the features of a file.
    static func layer(_ path: String) throws -> GeoJSONLayer {
        var source = GeoJSONSource(path: path)
        (source.label, source.priority) = (["{name}"], "{population}")
        return try GeoJSONLayer(path: path, style: GeoJSONStyle(source), labels: GeoJSONLabelStyle(source))
    }

    /// Returns the points of a GeoJSON file.
    private static func places(in file: String) throws -> [WorldPoint] {
        let text = try JSONText(Array(Data(contentsOf: URL(fileURLWithPath: file))))
        var places: [WorldPoint] = []
        var next = text.members(of: text.root)["features"].flatMap(text.firstElement)
        while let feature = next {
            next = text.element(after: text.end(of: feature))
            guard let geometry = text.members(of: feature)["geometry"],
                let first = text.members(of: geometry)["coordinates"].flatMap(text.firstElement)
            else { continue }
            let (longitude, end) = text.number(at: first)
            guard let second = text.element(after: end),
                let place = Coordinate(validating: text.number(at: second).number, longitude: longitude)
            else { continue }
            places.append(Mercator.project(place))
        }
        return places
    }

    /// Compares four tiles, which have four borders with each other, with one picture. Tiles without ink do not count.
    private static func compare(
        _ layer: GeoJSONLayer, x: Int, y: Int, zoom: Int, scale: Int
    ) throws -> (borders: Int, isEqual: Bool, hasInk: Bool) {
        let side = 256 * scale
        let frame = TileFrame(
            left: Double(x * side), top: Double(y * side), side: 2 * side, scale: Double(scale),
            worldSide: Double(side << zoom))
        guard let whole = try layer.picture(of: frame) else { return (4, true, false) }
        guard whole.growth == 1 else { return (4, true, false) }
        for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let tile = try layer.tile(x: x + column, y: y + row, zoom: zoom, scale: scale)
            var bytes = [UInt8](repeating: 0, count: side * side * 4)
            if case .image(let pixmap) = tile { bytes = pixmap.bytes }
            for line in 0..<side {
                let start = ((row * side + line) * 2 * side + column * side) * 4
                let expected = whole.pixmap.bytes[start..<start + side * 4]
                guard expected == bytes[line * side * 4..<(line + 1) * side * 4] else { return (4, false, true) }
            }
        }
        return (4, true, true)
    }
}
