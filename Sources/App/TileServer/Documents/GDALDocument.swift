/// Describes a layer for GDAL's WMS driver, so that GDAL can read the tiles as one image.
enum GDALDocument {
    /// Returns the description as XML. The default scale is 1. The default response for a missing tile is 404. GDAL
    /// fills such a tile with zeros, because the description lists 404 in `ZeroBlockHttpCodes`. Zeros are transparent
    /// in an image with four bands.
    static func xml(_ layer: LayerDescription, base: String, _ options: DocumentOptions) -> String {
        var options = options
        options.empty = options.empty ?? .notFound
        let window = Window(layer, side: layer.pixels * (options.scale ?? 1))
        let url = layer.tileURL(base: base, options, .init(z: "${z}", x: "${x}", y: "${y}"))
        // GDAL recognizes the file by its first characters, so there is no XML declaration.
        var document = XMLText(isDeclared: false)
        document.add("GDAL_WMS") { root in
            root.add("Service", ["name": "TMS"]) { $0.add("ServerUrl", url) }
            root.add("DataWindow") { window.write(to: &$0) }
            root.add("Projection", "EPSG:3857")
            root.add("OverviewCount", "\(window.overviews)")
            root.add("BlockSizeX", "\(window.side)")
            root.add("BlockSizeY", "\(window.side)")
            root.add("BandsCount", layer.formats[0].traits.contains(.isOpaque) ? "3" : "4")
            root.add("UserAgent", "GDAL (tileserver \(TileServer.version))")
            root.add("ZeroBlockHttpCodes", "204,404")
            root.add("MaxConnections", "8")
            root.add("Timeout", "60")
        }
        return document.text
    }

    /// The part of the world that a layer covers, as one large image for GDAL. The pixels of this image are those of
    /// the deepest zoom.
    struct Window {
        /// Pixels a side of a tile.
        let side: Int
        /// The deepest zoom. It is limited because GDAL stores the width and height of an image in 32 bits.
        let zoom: Int
        /// Number of coarser zooms that GDAL can request. The window consists of whole tiles at each of these zooms.
        let overviews: Int
        private let columns: ClosedRange<Int>
        private let rows: ClosedRange<Int>

        /// Maximum number of tiles a side at the coarsest zoom. The number keeps overviews small and the window close
        /// to the bounds.
        private static let mostTiles = 4
        private static let mostPixels = 1 << 30

        init(_ layer: LayerDescription, side: Int) {
            self.side = side
            // Begins at the deepest zoom at which the bounds touch only a few tiles.
            let spans = layer.box(0...layer.zooms.upperBound).spans
            var coarsest =
                spans.indices.last { zoom in
                    max(spans[zoom].unwrappedColumns(zoom).count, spans[zoom].rows.count) <= Self.mostTiles
                } ?? 0
            var (columns, rows) = (spans[coarsest].unwrappedColumns(coarsest), spans[coarsest].rows)
            while coarsest > 0, columns.isWholeOneZoomUp, rows.isWholeOneZoomUp {
                (columns, rows) = (columns.coarser, rows.coarser)
                coarsest -= 1
            }
            let count = max(columns.count, rows.count)
            var levels = layer.zooms.upperBound - coarsest
            while levels > 0, side * (count << levels) > Self.mostPixels { levels -= 1 }
            zoom = coarsest + levels
            overviews = min(levels, zoom - min(layer.zooms.lowerBound, zoom))
            (self.columns, self.rows) = (columns.finer(levels), rows.finer(levels))
        }

        func write(to element: inout XMLText) {
            let tile = 2 * WebMercator.edge / Double(1 << zoom)
            element.add("UpperLeftX", "\(-WebMercator.edge + Double(columns.lowerBound) * tile)")
            element.add("UpperLeftY", "\(WebMercator.edge - Double(rows.lowerBound) * tile)")
            element.add("LowerRightX", "\(-WebMercator.edge + Double(columns.upperBound + 1) * tile)")
            element.add("LowerRightY", "\(WebMercator.edge - Double(rows.upperBound + 1) * tile)")
            element.add("TileLevel", "\(zoom)")
            element.add("TileX", "\(columns.lowerBound)")
            element.add("TileY", "\(rows.lowerBound)")
            element.add("SizeX", "\(columns.count * side)")
            element.add("SizeY", "\(rows.count * side)")
            element.add("YOrigin", "top")
        }
    }
}

/// The world in EPSG:3857.
enum WebMercator {
    /// Meters from the center to an edge: half of the equator.
    static let edge = 20_037_508.342789244
}

extension ClosedRange<Int> {
    /// True if whole tiles of the next coarser zoom cover the same area.
    fileprivate var isWholeOneZoomUp: Bool { lowerBound.isMultiple(of: 2) && !upperBound.isMultiple(of: 2) }
    /// The tiles of the next coarser zoom.
    fileprivate var coarser: ClosedRange<Int> { lowerBound / 2...upperBound / 2 }

    /// Returns the tiles `levels` zooms deeper.
    fileprivate func finer(_ levels: Int) -> ClosedRange<Int> {
        lowerBound << levels...((upperBound + 1) << levels) - 1
    }
}
