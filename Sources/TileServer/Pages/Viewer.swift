import Configuration
import Foundation
import MapGeometry
import MapService

/// The page at `/`: every layer with its URL, its TileJSON and a mosaic of its own tiles. Plain HTML, so that it
/// works without scripts and without anything from elsewhere.
enum Viewer {
    /// `base`: where clients see the server.
    static func page(_ layers: [ServedLayer], base: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>tileserver</title>
        <link rel="stylesheet" href="assets/viewer.css">
        </head>
        <body>
        <header><h1>tileserver</h1><p>\(layers.count) layers · <a href="layers.json">layers.json</a></p></header>
        <main>
        \(layers.map { article($0, base: base) }.joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    private static func article(_ layer: ServedLayer, base: String) -> String {
        let settings = layer.settings
        let notes = [settings.description, settings.attribution].compactMap { $0 }.map { "<p>\(escaped($0))</p>" }
            .joined()
        return """
            <article>
            \(mosaic(layer))
            <div>
            <h2>\(escaped(settings.name ?? settings.id))</h2>\(notes)
            <p>Zoom \(settings.minZoom) to \(settings.maxZoom), \(settings.tileSize) px</p>
            <p><code>\(escaped(base))/\(layer.id)/{z}/{x}/{y}.png</code></p>
            <p><a href="\(layer.id).json">TileJSON</a></p>
            </div>
            </article>
            """
    }

    /// Four tiles that show something: the world at zoom 1, or the layer's bounds as large as they fit.
    private static func mosaic(_ layer: ServedLayer) -> String {
        let settings = layer.settings
        let (middle, span) = area(layer.bounds)
        let fitting = Int(log2(2 / max(span, 1e-9)).rounded(.down))
        let zoom = min(max(fitting, settings.minZoom), settings.maxZoom)
        let count = 1 << zoom
        // The corner where four tiles meet that is nearest to the middle.
        let column = min(max(Int((middle.x * Double(count)).rounded()), 1), max(count - 1, 1))
        let row = min(max(Int((middle.y * Double(count)).rounded()), 1), max(count - 1, 1))
        let version = layer.source.generation.current
        let images = [(column - 1, row - 1), (column, row - 1), (column - 1, row), (column, row)].map { x, y in
            guard x < count, y < count else { return "<span></span>" }
            return "<img src=\"\(layer.id)/\(zoom)/\(x)/\(y).png?v=\(version)&amp;empty=transparent\" "
                + "width=\"128\" height=\"128\" alt=\"\(layer.id) \(zoom)/\(x)/\(y)\">"
        }
        return "<div class=\"mosaic\">\(images.joined())</div>"
    }

    /// The middle of `bounds` in the unit square of the Mercator world, and its longer side.
    private static func area(_ bounds: GeographicBox?) -> (middle: WorldPoint, span: Double) {
        guard let bounds else { return (WorldPoint(x: 0.5, y: 0.5), 1) }
        let (first, last) = (bounds.northWest, bounds.southEast)
        let east = last.x + (bounds.west > bounds.east ? 1 : 0)
        let x = (first.x + east) / 2
        let middle = WorldPoint(x: x - x.rounded(.down), y: (first.y + last.y) / 2)
        return (middle, max(east - first.x, last.y - first.y))
    }

    /// `text` as HTML text or attribute: what an operator configured is shown, never interpreted.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }

    static let stylesheet = """
        :root { color-scheme: light dark; --line: #8884; --soft: #8881; }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1.5rem; max-width: 76rem; font: 16px/1.5 system-ui, sans-serif; }
        header { display: flex; align-items: baseline; gap: 1rem; flex-wrap: wrap; }
        h1, h2 { margin: 0; font-weight: 600; }
        h2 { font-size: 1.1rem; }
        main { display: grid; grid-template-columns: repeat(auto-fill, minmax(34rem, 1fr)); gap: 1rem; }
        article { display: flex; gap: 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
        article p { margin: .4rem 0; }
        code { font-size: .85rem; padding: .1rem .3rem; border-radius: .25rem; background: var(--soft); overflow-wrap: anywhere; }
        .mosaic { flex: none; display: grid; grid-template-columns: 128px 128px; width: 256px; height: 256px;
          background: #fff; border-radius: .25rem; overflow: hidden; }
        .mosaic img { display: block; width: 128px; height: 128px; }
        @media (max-width: 40rem) { main { grid-template-columns: 1fr; } article { flex-direction: column; } }

        """
}
