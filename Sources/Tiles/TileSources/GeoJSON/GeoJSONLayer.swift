import Dispatch
import Labels
import MapGeometry
import Raster
import Synchronization
import Tiles

/// A layer that draws the features of a GeoJSON file (RFC 7946). It draws areas first, then lines and outlines, then
/// points. Within each kind, later features of the file cover earlier ones.
///
/// The file is read when the layer is made, and again by `reload`. A tile without features is `.noTile`. If a tile has
/// far too many features, it is drawn with fewer pixels and then enlarged. If that is not enough, it is not drawn at
/// all.
///
/// This is a class because it owns the file's content. Thread rule: any thread. `init`, `check`, `identity`,
/// `isOutdated` and `tile` may block or compute.
package final class GeoJSONLayer: LabelledLayer {
    /// The path as it was given, absolute or relative to the working directory.
    package let path: String
    /// The style of features without a style of their own.
    package let style: GeoJSONStyle
    /// Side of a tile in points.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    private let usesSimplestyle: Bool
    private let labelStyle: GeoJSONLabelStyle
    private let state: Mutex<State>
    /// The queue that reads the file again, one call at a time.
    private let reading = DispatchQueue(label: "geojson")

    private struct State {
        var content: GeoJSONContent
        var identity: FileIdentity
    }

    /// The result of a check of the file.
    package enum Change: Sendable, Hashable {
        /// The file has changed, and the new one is drawn from now on.
        case replaced
        /// The file has changed but cannot be used. The earlier content is still drawn.
        case notReplaced(GeoJSONError)
    }

    /// Reads the file, and blocks meanwhile. If `usesSimplestyle`, a feature's own properties change its style.
    package init(
        path: String, style: GeoJSONStyle, usesSimplestyle: Bool = true, labels: GeoJSONLabelStyle = .standard,
        tileSize: TileSize = .standard
    ) throws(GeoJSONError) {
        self.path = path
        self.style = style
        self.usesSimplestyle = usesSimplestyle
        labelStyle = labels
        self.tileSize = tileSize
        state = Mutex(try Self.read(path, style, usesSimplestyle: usesSimplestyle, labels: labels))
    }

    /// Reads the file at `path` only to check whether it can be drawn. Reports whether a feature has a label. Blocks.
    package static func hasLabels(path: String, _ labels: GeoJSONLabelStyle) throws(GeoJSONError) -> Bool {
        try read(path, .standard, usesSimplestyle: true, labels: labels).content.labels != nil
    }

    /// Returns a text that identifies the file at `path` and its present state. Empty if the file cannot be examined.
    /// May block.
    package static func identity(ofFileAt path: String) -> String {
        // Other problems are reported when the file is read.
        (try? FileIdentity(path: path)).map { "\($0)" } ?? ""
    }

    /// The area of the features. Nil if there are none.
    package var bounds: GeographicBox? { content.bounds }

    /// Bytes of memory for the file's content.
    package var residentBytes: Int { content.bytes }

    /// Number of labels that are left out, because a `LabelSet` with them would exceed its limits.
    package var leftOutLabels: Int { labels?.leftOut ?? 0 }

    /// The labels of the present content. Nil if no feature has a label.
    package var labels: LabelSet? { content.labelSet }

    /// True if the file at the path was changed or replaced since it was read. May block.
    package var isOutdated: Bool {
        // No file is there: the content in memory is still valid.
        guard let found = try? FileIdentity(path: path) else { return false }
        return found != state.withLock { $0.identity }
    }

    /// Reads the file again if it has changed. Returns nil if it has not. Tiles that begin after the return show the
    /// new content. Calls run one at a time, so the content is up to date when any of them returns.
    package func reload() async -> Change? {
        await withCheckedContinuation { continuation in
            reading.async { continuation.resume(returning: self.reloaded()) }
        }
    }

    /// Draws a tile. Throws `.tooComplex` if there is too much to draw.
    package func tile(x: Int, y: Int, zoom: Int, scale: Int) throws(Unavailability) -> SyncTile? {
        try tile(of: TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize), hasLabels: true)
    }

    package func unlabelledTile(x: Int, y: Int, zoom: Int, scale: Int) throws(Unavailability) -> SyncTile? {
        try tile(of: TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize), hasLabels: false)
    }

    private func tile(of frame: TileFrame, hasLabels: Bool) throws(Unavailability) -> SyncTile? {
        guard let picture = try picture(of: frame, hasLabels: hasLabels) else { return .noTile }
        return picture.growth > 1 ? .coarse(picture.pixmap, growth: picture.growth) : .image(picture.pixmap)
    }

    /// Draws a square of the world. Returns nil if no feature is visible. If the drawing needs more units of work than
    /// `work`, it is made with fewer pixels: half as many per side, or a quarter, and so on. The picture is then
    /// enlarged by the factor `growth`.
    package func picture(
        of frame: TileFrame, work: Int = GeoJSONBudget.standard, hasLabels: Bool = true
    ) throws(Unavailability) -> (pixmap: Pixmap, growth: Int)? {
        let selection = GeoJSONSelection(content, near: frame)
        let labels = hasLabels ? selection.content.labels.map { LabelDrawing($0, frame) } : nil
        guard !selection.neighbors.isEmpty || (labels?.count ?? 0) > 0 else { return nil }
        var drawing = GeoJSONDrawing(selection, frame, labels, budget: GeoJSONBudget(work))
        do throws(GeoJSONBudget.ExhaustedError) {
            try drawing.draw()
            return drawing.finished().map { ($0, 1) }
        } catch {
            let share = Double(drawing.budget.vertices) / Double(max(selection.vertexCount, 1))
            return try coarsePicture(of: frame, selection, share: share, work: work / 3)
        }
    }

    /// Draws the square with fewer pixels, after the first attempt needed too much work. The first attempt reached only
    /// the fraction `share` of the vertices.
    private func coarsePicture(
        of frame: TileFrame, _ selection: GeoJSONSelection, share: Double, work: Int
    ) throws(Unavailability) -> (pixmap: Pixmap, growth: Int)? {
        guard let growth = Self.growth(of: frame, whichDrew: share) else { throw .tooComplex }
        // Draws no labels: the picture is enlarged later, and enlarged text is hard to read.
        var drawing = GeoJSONDrawing(selection, frame.shrunk(by: growth), nil, budget: GeoJSONBudget(work))
        do throws(GeoJSONBudget.ExhaustedError) {
            try drawing.draw()
        } catch {
            throw .tooComplex
        }
        return drawing.finished().map {
            (Resampler.scaled($0, width: frame.side, height: frame.side), growth)
        }
    }

    /// Minimum pixels a side of a tile before it is enlarged.
    private static let fewestPixels = 32

    /// Returns the factor by which a drawing must be coarser to cost a third of the work. The first attempt drew a
    /// `share` of the vertices. The cost of an edge is proportional to its pixels. Nil if no factor is enough.
    private static func growth(of frame: TileFrame, whichDrew share: Double) -> Int? {
        var growth = 2
        while frame.side.isMultiple(of: growth), frame.side / growth >= fewestPixels {
            if Double(growth) * share >= 3 { return growth }
            growth *= 2
        }
        return nil
    }

    private var content: GeoJSONContent { state.withLock { $0.content } }

    private func reloaded() -> Change? {
        do throws(GeoJSONError) {
            // A file that cannot be examined cannot be read either. Reading it gives the reason.
            if let found = try? FileIdentity(path: path), found == state.withLock({ $0.identity }) { return nil }
            let new = try Self.read(path, style, usesSimplestyle: usesSimplestyle, labels: labelStyle)
            state.withLock { $0 = new }
            return .replaced
        } catch {
            return .notReplaced(error)
        }
    }

    private static func read(
        _ path: String, _ style: GeoJSONStyle, usesSimplestyle: Bool, labels: GeoJSONLabelStyle
    ) throws(GeoJSONError) -> State {
        let (bytes, identity) = try GeoJSONFile.bytes(at: path)
        do throws(GeoJSONError.ContentError) {
            let content = try GeoJSONReader.content(
                of: bytes, style: style, usesSimplestyle: usesSimplestyle, labels: labels)
            return State(content: content, identity: identity)
        } catch {
            throw GeoJSONError(path: path, fault: error)
        }
    }
}
