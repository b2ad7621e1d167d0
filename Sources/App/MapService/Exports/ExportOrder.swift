import Dispatch
import MapGeometry
import Raster
import TileArchives
import TileSources
import Tiles

/// The settings of an export as the caller gave them, such as layer, area, format and target. The settings are not
/// checked yet.
package struct ExportOrder: Sendable {
    package var id: String
    package var path: String
    package var area: TileServerExport.Area
    package var zooms: ClosedRange<Int>
    /// The format of the tiles. Nil means the format that the layer usually sends.
    package var format: ImageFormat?
    /// 1…100. Nil: the quality of the layer.
    package var quality: Int?
    /// True if the export may replace an existing archive file, or files in an existing directory.
    package var replaces: Bool
    /// True if tiles that come from other servers are taken from the cache only. The caller must also make the
    /// layers offline with `TileExport.useCacheOnly(in:)`.
    package var isCachedOnly = false

    package init(
        _ id: String, to path: String, area: TileServerExport.Area, zooms: ClosedRange<Int>, format: ImageFormat?,
        quality: Int?, replaces: Bool
    ) {
        (self.id, self.path, self.area, self.zooms) = (id, path, area, zooms)
        (self.format, self.quality, self.replaces) = (format, quality, replaces)
    }

    /// Checks the path of the archive. Blocks.
    package func target() throws(TileExportError) -> ExportTarget {
        do {
            return try ExportTarget(path, replaces: replaces)
        } catch {
            throw .invalidTarget(reason: "\(error)")
        }
    }

    /// Returns an export of `layer` with the settings of this order, after a check of the settings. May block for
    /// seconds while the GeoJSON file of the area is read.
    package func export(of layer: ServedLayer) throws(TileExportError) -> TileExport {
        try TileExport(
            layer, area: try area(of: layer), format: format, quality: quality, isCachedOnly: isCachedOnly)
    }

    private func area(of layer: ServedLayer) throws(TileExportError) -> ExportArea {
        var place = ""
        do {
            switch area {
            case .layer: return try ExportArea(layer.bounds ?? .world, zooms: zooms)
            case .box(let box): return try ExportArea(box, zooms: zooms)
            case .geoJSON(let path):
                let shapes = try ExportShapes(geoJSON: path)
                place = "\(PlainText.of(path, limit: 256)): "
                return try ExportArea(shapes, zooms: zooms)
            }
        } catch {
            throw .invalidArea(reason: "\(place)\(error)")
        }
    }
}

extension MapService {
    /// Runs the export that `order` describes: checks `order`, makes the tiles and writes the archive. Calls `begin`
    /// with the number of tiles before the first tile is made. Calls `progress` with the newest numbers after every
    /// few tiles, and `failed` for each tile that is unavailable. Returns the final numbers.
    func export(
        _ order: ExportOrder, begin: (_ total: Int) -> Void, progress: (TileExport.Progress) -> Void,
        failed: (FailedTile) async -> Void
    ) async throws -> TileExport.Progress {
        let layer = try layer(order.id)
        let (target, export) = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "export").async {
                continuation.resume(with: Result { (try order.target(), try order.export(of: layer)) })
            }
        }
        try Task.checkCancellation()
        begin(export.area.count)
        return try await write(export, to: target, progress: progress, failed: failed)
    }
}
