import Raster
import Synchronization
import Tiles

/// Pictures that say which error stands in a tile's place, for people who look at a map: those of a size are drawn once,
/// and all layers have them.
///
/// A class to own them. Thread rule: any thread.
final class ErrorPictures: Sendable {
    private struct Subject: Hashable {
        let status: Int
        let code: String
        let side: Int
        let options: PNGOptions
    }

    private let pictures = Mutex<[Subject: Tile]>([:])

    /// More than the errors of tiles in one size, and no more than some MiB.
    private static let most = 64

    /// The one that says `status` and the problem's `code`, `side` pixels a side; nil where `pixels` has too much to do.
    func picture(_ status: Int, _ code: String, side: Int, _ pixels: PixelWork) async -> Tile? {
        let subject = Subject(status: status, code: code, side: side, options: pixels.encoder.png)
        if let tile = pictures.withLock({ $0[subject] }) { return tile }
        guard
            case .tile(let tile) = await pixels.tile(
                nil, as: .png, bytes: TileMemory.drawn(side: side, pixels.encoder), { Self.drawn(subject) })
        else { return nil }
        pictures.withLock { pictures in
            if pictures.count >= Self.most { pictures = [:] }
            pictures[subject] = tile
        }
        return tile
    }

    private static func drawn(_ subject: Subject) -> Pixmap {
        let side = Double(subject.side)
        let width = max(1, (side / 256).rounded())
        var canvas = Canvas(width: subject.side, height: subject.side, background: paper)
        // The neighbours' lines close the frame.
        canvas.fillRectangle(left: 0, top: 0, right: side, bottom: width, color: ink)
        canvas.fillRectangle(left: 0, top: width, right: width, bottom: side, color: ink)
        draw(String(subject.status), on: &canvas, middle: 0.44, height: 0.2)
        draw(subject.code, on: &canvas, middle: 0.62, height: 0.08)
        return canvas.pixmap
    }

    /// `middle` and `height` are parts of the tile's height; a text that is too wide for it becomes smaller.
    private static func draw(_ text: String, on canvas: inout Canvas, middle: Double, height: Double) {
        let side = Double(canvas.pixmap.width)
        let wanted = Font(size: side * height)
        let room = side * 0.9
        let width = wanted.width(of: text)
        let font = width > room ? Font(size: max(1, side * height * room / width)) : wanted
        canvas.draw(text, center: Point(x: side / 2, y: side * middle), font: font, color: ink)
    }

    private static let paper = RGBA(red: 255, green: 240, blue: 238, alpha: 200)
    private static let ink = RGBA(red: 150, green: 20, blue: 20)
}
