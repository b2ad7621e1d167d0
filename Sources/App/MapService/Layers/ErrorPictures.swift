import Raster
import Synchronization
import Text
import Tiles

/// Draws pictures that show an error to a person who looks at a map. A picture is sent instead of a tile. Up to `most`
/// pictures are kept and shared by all layers. One more picture drops all earlier ones. Thread rule: any thread.
final class ErrorPictures: Sendable {
    private struct Subject: Hashable {
        let status: Int
        let code: String
        let side: Int
        let options: PNGOptions
    }

    private let pictures = Mutex<[Subject: Tile]>([:])

    /// Maximum number of pictures. It is more than the number of errors for one tile size, and limits the memory to a
    /// few MiB.
    private static let most = 64

    /// Returns the picture for an error with the HTTP status `status` and the problem code `code`. The picture has
    /// `side` pixels a side. Returns nil if the picture cannot be drawn now, for example because the queue of `pixels`
    /// is full.
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
        // Draws only the upper and left lines: the neighbouring tiles' lines complete the frame.
        canvas.fillRectangle(left: 0, top: 0, right: side, bottom: width, color: ink)
        canvas.fillRectangle(left: 0, top: width, right: width, bottom: side, color: ink)
        draw(String(subject.status), on: &canvas, middle: 0.44, height: 0.2)
        draw(subject.code, on: &canvas, middle: 0.62, height: 0.08)
        return canvas.pixmap
    }

    /// Draws `text` centred between the sides. `middle` and `height` are fractions of the tile's height. A text that is
    /// too wide is made smaller.
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
