import Bytes
import Labels

@testable import Raster
@testable import TileSources
@testable import Tiles

extension FuzzTarget {
    static func readImageHeader(_ bytes: UnsafeRawBufferPointer) {
        guard let header = try? ImageHeader(parsing: SharedBytes(bytes)) else { return }
        check((1...2_048).contains(header.width) && (1...2_048).contains(header.height), "\(header)")
    }

    /// Decodes an image. It must have the size of its header, and must survive encoding.
    static func decodeImage(_ bytes: UnsafeRawBufferPointer) {
        let bytes = SharedBytes(bytes)
        guard let header = try? ImageHeader(parsing: bytes), let pixmap = try? ImageDecoder.decode(bytes) else {
            return
        }
        check(pixmap.width == header.width && pixmap.height == header.height, "\(header), \(pixmap.width)")
        check(pixmap.bytes.count == header.width * header.height * 4, "\(pixmap.bytes.count) bytes")
        guard pixmap.width * pixmap.height <= 4_096, let encoded = try? PNGEncoder.encode(pixmap) else { return }
        check((try? ImageDecoder.decode(encoded)) == pixmap, "other pixels after encoding")
        for form in ImageForm.allCases {
            guard let image = try? ImageEncoder().encode(pixmap, as: form) else { continue }
            let again = try? ImageDecoder.decode(image.bytes)
            check(again?.width == pixmap.width && again?.height == pixmap.height, "\(form): no image")
            if form == .webp { check(again?.seen == pixmap.seen, "other pixels after WebP") }
        }
    }

    private static let labelStyle: GeoJSONLabelStyle = {
        var source = GeoJSONSource(path: "")
        (source.label, source.priority) = (["{name:ja}", "{name} {ref}"], "{population}")
        return GeoJSONLabelStyle(source)
    }()

    /// Draws a GeoJSON file in three tiles: the world, a corner at a high zoom, and a tile across the antimeridian.
    static func drawGeoJSON(_ bytes: UnsafeRawBufferPointer) {
        let content: GeoJSONContent
        do throws(GeoJSONError.ContentError) {
            content = try GeoJSONReader.content(
                of: Array(bytes), style: .standard, usesSimplestyle: true, labels: labelStyle)
        } catch {
            return checkLine(GeoJSONError(path: "f.geojson", fault: error).description)
        }
        let frames = [
            TileFrame(left: 0, top: 0, side: 64, scale: 1, worldSide: 64),
            TileFrame(x: (1 << 30) - 1, y: 1 << 29, zoom: 30, scale: 4, tileSize: .double),
            TileFrame(left: -32, top: 16, side: 64, scale: 1, worldSide: 128),
        ]
        for frame in frames {
            let selection = GeoJSONSelection(content, near: frame)
            let labels = content.labels.map { LabelDrawing($0, frame) }
            guard !selection.neighbors.isEmpty || (labels?.count ?? 0) > 0 else { continue }
            var drawing = GeoJSONDrawing(selection, frame, labels, budget: GeoJSONBudget(2_000_000))
            // Exceeding the budget is a valid result.
            try? drawing.draw()
        }
    }
}

extension Pixmap {
    /// Returns the bytes, with zero for the colours of transparent pixels.
    fileprivate var seen: [UInt8] {
        bytes.indices.map { bytes[$0 | 3] == 0 ? 0 : bytes[$0] }
    }
}
