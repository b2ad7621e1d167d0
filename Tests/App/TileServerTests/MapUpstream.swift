import Configuration
import Raster
import TestUpstream

extension LyingUpstream {
    /// Starts an upstream that sends the picture of `paint` for z, x and y as PNG. It answers 404 if `paint` returns
    /// nil, and 500 if `paint` throws.
    static func painting(_ paint: @escaping @Sendable (Int, Int, Int) throws -> Pixmap?) -> LyingUpstream {
        LyingUpstream { exchange in
            let numbers = exchange.request.path.split(separator: "/").compactMap { Int($0) }
            guard numbers.count == 3 else { return exchange.respond(400) }
            do {
                guard let pixmap = try paint(numbers[0], numbers[1], numbers[2]) else { return exchange.respond(404) }
                return exchange.respond(200, body: try PNGEncoder.encode(pixmap).array)
            } catch {
                return exchange.respond(500)
            }
        }
    }

    /// A source that fetches tiles of scale 1 from this upstream.
    var source: LayerSource { .url(URLSource(template: url("/{z}/{x}/{y}"))) }
}
