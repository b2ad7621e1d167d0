import MapGeometry
import MapService
import Raster

extension TileServer {
    /// Returns an export of the layer or map `id` into an archive. A loop over the result runs the export:
    ///
    ///     for try await progress in server.export("demo", to: "demo.pmtiles", zooms: 0...8) {
    ///         print("\(progress.done) of \(progress.total) tiles")
    ///     }
    ///
    /// The tiles come through the cache, have scale 1, and share the processors fairly with clients. An archive file is
    /// written under another name, and gets its own name when it is complete. A tile that is unavailable after several
    /// attempts is listed in `progress.failures`, and the export goes on. Memory use does not depend on the number
    /// of tiles.
    ///
    /// The export is refused if the policy of a layer's host, or the layer's setting `bulk`, forbids bulk downloads. A
    /// layer with `offline` may always be exported: its archive has the tiles that the cache holds.
    ///
    /// - Parameters:
    ///   - id: the id of the layer or map. The export uses the layer as it is when the loop begins.
    ///   - path: the path of the archive. Its ending chooses the kind: `.pmtiles`, `.mbtiles` or `.zip`, or `/` for a
    ///     directory of tiles.
    ///   - area: the area of the tiles. Default: the bounds of the layer.
    ///   - zooms: the zooms of the tiles, within 0…30.
    ///   - format: PNG, JPEG or WebP. Nil: the format that the layer usually sends.
    ///   - quality: the quality of JPEG and WebP, 1…100, for tiles that the export encodes. Nil: the layer's quality.
    ///   - replacing: true if the export may replace an existing file, or files in a directory.
    public func export(
        _ id: String, to path: String, area: TileServerExport.Area = .layer, zooms: ClosedRange<Int>,
        format: ImageFormat? = nil, quality: Int? = nil, replacing: Bool = false
    ) -> TileServerExport {
        TileServerExport(
            service,
            ExportOrder(
                id, to: path, area: area, zooms: zooms, format: format, quality: quality, replaces: replacing))
    }
}
