/// A layer as the description of a service that GDAL's WMS driver opens.
enum GDALDocument {
    /// Without a scale tiles have theirs of scale 1, without `empty` 404 stands for no tile: GDAL knows that as transparent by
    /// `ZeroBlockHttpCodes`, and fetches nothing for it.
    static func xml(_ layer: LayerDescription, base: String, _ options: DocumentOptions) -> String {
        var options = options
        options.empty = options.empty ?? .notFound
        let window = Window(layer, side: layer.pixels * (options.scale ?? 1))
        let url = layer.tileURL(base: base, options, .init(z: "${z}", x: "${x}", y: "${y}"))
        // GDAL knows such a file by what it begins with.
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

    /// The part of the world that GDAL sees as one picture, at its finest zoom.
    struct Window {
        /// Pixels of a tile's edge.
        let side: Int
        /// The finest zoom; GDAL counts pixels of a picture in 32 bits.
        let zoom: Int
        /// How many coarser zooms it can ask for: a window is made of whole tiles at each.
        let overviews: Int
        private let columns: ClosedRange<Int>
        private let rows: ClosedRange<Int>

        /// At most so many tiles a side at the coarsest zoom: few enough for an overview of the whole, and close to the bounds.
        private static let mostTiles = 4
        private static let mostPixels = 1 << 30

        init(_ layer: LayerDescription, side: Int) {
            self.side = side
            // The coarsest zoom: the deepest at which the bounds touch few tiles.
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

/// The world as EPSG:3857 has it.
enum WebMercator {
    /// Metres from the middle to an edge: half of the equator.
    static let edge = 20_037_508.342789244
}

extension ClosedRange<Int> {
    /// Whether whole tiles of the next coarser zoom cover the same.
    fileprivate var isWholeOneZoomUp: Bool { lowerBound.isMultiple(of: 2) && !upperBound.isMultiple(of: 2) }
    /// These tiles.
    fileprivate var coarser: ClosedRange<Int> { lowerBound / 2...upperBound / 2 }

    /// The tiles `levels` zooms finer.
    fileprivate func finer(_ levels: Int) -> ClosedRange<Int> {
        lowerBound << levels...((upperBound + 1) << levels) - 1
    }
}
