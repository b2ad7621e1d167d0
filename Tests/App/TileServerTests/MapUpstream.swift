import Configuration
import Raster
import TestUpstream

extension LyingUpstream {
    /// Sends what `paint` makes of z, x and y as PNG: 404 where it is nil, 500 where it throws.
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

    /// Its tiles, which have one scale.
    var source: LayerSource { .url(URLSource(template: url("/{z}/{x}/{y}"))) }
}
