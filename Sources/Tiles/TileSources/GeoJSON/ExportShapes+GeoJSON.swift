import MapGeometry
import TileArchives

extension ExportShapes {
    /// Reads the shapes of a GeoJSON file (RFC 7946) of at most 64 MiB. The shapes are those that a layer of the file
    /// draws, so a line that crosses the antimeridian takes the shorter way. Shapes without a place on the Mercator map
    /// are left out. Throws the first error of the file, together with its place in the file. Blocks.
    package init(geoJSON path: String) throws(GeoJSONError) {
        let (bytes, _) = try GeoJSONFile.bytes(at: path)
        var source = GeoJSONSource(path: path)
        source.labels = false
        do throws(GeoJSONError.ContentError) {
            self.init(
                try GeoJSONReader.content(
                    of: bytes, style: .standard, usesSimplestyle: false, labels: GeoJSONLabelStyle(source)))
        } catch {
            throw GeoJSONError(path: path, fault: error)
        }
    }

    private init(_ content: GeoJSONContent) {
        self.init()
        // Files cut shapes at the antimeridian. If the box around the shapes crosses it, the parts in the west move
        // behind the parts in the east, so that the box around the moved parts is small.
        let west = content.bounds.flatMap { $0.east < $0.west ? ($0.west + 180) / 360 : nil } ?? 0
        for shape in content.shapes {
            let turn = shape.box.left < west - Self.margin ? 1.0 : 0
            func place(_ point: WorldPoint) -> Coordinate {
                Mercator.unproject(WorldPoint(x: point.x + turn, y: point.y))
            }
            let lines = shape.lines.map { content.vertices[content.lines[Int($0)].vertices].map(place) }
            // The reader moves places beyond the map to its edge, where lines and points must not touch tiles.
            let isBeyond = shape.box.bottom <= 0 || shape.box.top >= 1
            switch shape.kind {
            case .area: polygons.append(lines)
            case .line where !isBeyond: self.lines += lines
            case .point where !isBeyond: points.append(place(WorldPoint(x: shape.box.left, y: shape.box.top)))
            case .line, .point: continue
            }
        }
    }

    /// The rounding of `GeoJSONContent.bounds`, in widths of the world.
    private static let margin = 1e-8
}
