import Dispatch
import MapGeometry
import Raster
import Synchronization
import Tiles

/// Draws the features of a GeoJSON file (RFC 7946): areas, above them lines and outlines, above them points; of each kind
/// what comes later in the file above what came before.
///
/// The file is read when the layer is made and by `reload`, and not in between. A tile without any feature
/// is `.noTile`. One with very much more than that is drawn with fewer pixels,
/// which grow, or not at all.
///
/// A class to own what was read. Thread rule: any thread; everything but `bounds` may block or compute.
package final class GeoJSONLayer: SyncTileLayer {
    /// The path as it was given, absolute or relative to the working directory.
    package let path: String
    /// How features are drawn that say nothing of their own.
    package let style: GeoJSONStyle
    /// Points a side.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    private let usesSimplestyle: Bool
    private let state: Mutex<State>
    /// Where the file is read again, by one after the other.
    private let reading = DispatchQueue(label: "geojson")

    private struct State {
        var content: GeoJSONContent
        var identity: FileIdentity
    }

    /// What a check of the file found.
    package enum Change: Sendable, Hashable {
        /// It was another one, and is drawn from here on.
        case replaced
        /// It was another one and of no use: what was drawn before still is.
        case notReplaced(GeoJSONError)
    }

    /// Reads the file, and so blocks. With `usesSimplestyle` a feature's own properties change the style.
    package init(
        path: String, style: GeoJSONStyle, usesSimplestyle: Bool = true, tileSize: TileSize = .standard
    ) throws(GeoJSONError) {
        self.path = path
        self.style = style
        self.usesSimplestyle = usesSimplestyle
        self.tileSize = tileSize
        state = Mutex(try Self.read(path, style, usesSimplestyle))
    }

    /// Reads the file at `path`, only to see whether it can be drawn. Blocks.
    package static func check(path: String) throws(GeoJSONError) {
        _ = try read(path, .standard, true)
    }

    /// Tells the file at `path` from others, and from itself before and after a change; empty where there is none. May
    /// block.
    package static func identity(ofFileAt path: String) -> String {
        // What else is wrong is said when the file is read.
        (try? FileIdentity(path: path)).map { "\($0)" } ?? ""
    }

    /// Where the features are; nil where there are none.
    package var bounds: GeographicBox? { content.bounds }

    /// Bytes of memory that the file's content takes.
    package var residentBytes: Int { content.bytes }

    /// Whether another file lies at the path, or the file has changed, since it was read. May block.
    package var isOutdated: Bool {
        // Nothing is there: what was read is all there is.
        guard let found = try? FileIdentity(path: path) else { return false }
        return found != state.withLock { $0.identity }
    }

    /// Reads the file again if it is another one than before; nil where it is not. Tiles that are begun after that show
    /// what is in the file. Waits for another call that does the same, so that it is done when either returns.
    package func reload() async -> Change? {
        await withCheckedContinuation { continuation in
            reading.async { continuation.resume(returning: self.reloaded()) }
        }
    }

    /// Throws `.tooComplex` where there is too much to draw.
    package func tile(x: Int, y: Int, zoom: Int, scale: Int) throws(Unavailability) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        guard let picture = try picture(of: frame) else { return .noTile }
        return picture.growth > 1 ? .coarse(picture.pixmap, growth: picture.growth) : .image(picture.pixmap)
    }

    /// What is in any square of the world; nil where that is nothing. A drawing that would cost more than `work` has half
    /// as many pixels a side, or a quarter and so on, which grow: `growth` times.
    func picture(
        of frame: TileFrame, work: Int = GeoJSONBudget.standard
    ) throws(Unavailability) -> (pixmap: Pixmap, growth: Int)? {
        let selection = GeoJSONSelection(content, near: frame)
        guard !selection.neighbors.isEmpty else { return nil }
        var drawing = GeoJSONDrawing(selection, frame, budget: GeoJSONBudget(work))
        do throws(GeoJSONBudget.ExhaustedError) {
            try drawing.draw()
            return drawing.finished().map { ($0, 1) }
        } catch {
            let share = Double(drawing.budget.vertices) / Double(selection.vertexCount)
            return try coarsePicture(of: frame, selection, share: share, work: work / 3)
        }
    }

    /// The same with fewer pixels, where all that a drawing may cost went for a `share` of the vertices.
    private func coarsePicture(
        of frame: TileFrame, _ selection: GeoJSONSelection, share: Double, work: Int
    ) throws(Unavailability) -> (pixmap: Pixmap, growth: Int)? {
        guard let growth = Self.growth(of: frame, whichDrew: share) else { throw .tooComplex }
        var drawing = GeoJSONDrawing(selection, frame.shrunk(by: growth), budget: GeoJSONBudget(work))
        do throws(GeoJSONBudget.ExhaustedError) {
            try drawing.draw()
        } catch {
            throw .tooComplex
        }
        return drawing.finished().map {
            (Resampler.scaled($0, width: frame.side, height: frame.side), growth)
        }
    }

    /// The fewest pixels a side that a tile is drawn with.
    private static let fewestPixels = 32

    /// How many times coarser to draw where a `share` of the vertices was drawn, for a third of what that took: an edge costs
    /// as much as it has pixels. Nil where nothing would help.
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
            // A file that cannot be looked at cannot be read either, and reading says why.
            if let found = try? FileIdentity(path: path), found == state.withLock({ $0.identity }) { return nil }
            let new = try Self.read(path, style, usesSimplestyle)
            state.withLock { $0 = new }
            return .replaced
        } catch {
            return .notReplaced(error)
        }
    }

    private static func read(
        _ path: String, _ style: GeoJSONStyle, _ usesSimplestyle: Bool
    ) throws(GeoJSONError) -> State {
        let (bytes, identity) = try GeoJSONFile.bytes(at: path)
        do throws(GeoJSONError.ContentError) {
            let content = try GeoJSONReader.content(of: bytes, style: style, usesSimplestyle: usesSimplestyle)
            return State(content: content, identity: identity)
        } catch {
            throw GeoJSONError(path: path, fault: error)
        }
    }
}
