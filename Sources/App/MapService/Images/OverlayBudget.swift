import MapRenderer

/// Limits the work of drawing markers and paths. Each marker or path costs the number of pixels that it covers
/// (`MapImage.cost`). All frames of an animation share one limit.
enum OverlayBudget {
    /// Allowed overlay pixels for each pixel of the image, and the minimum for every image (docs/spec/threats.md 2).
    private static let share = 32
    private static let least = 16 << 20

    /// The error of an image above the limit.
    static let fault = CameraRequestError.malformed(
        "path", expected: "markers and paths that together cover at most 32 times the image's pixels")

    /// Reports whether the overlays of `jobs` stay within the limit. The jobs are frames of one size. Visits every
    /// point of a path but draws nothing. Returns true early if `isWanted` returns false.
    static func isKept(by jobs: [StaticJob], isWanted: () -> Bool) -> Bool {
        guard let first = jobs.first, !first.options.overlays.isEmpty else { return true }
        var left = max(share * first.pixels * jobs.count, least)
        for job in jobs {
            guard isWanted() else { return true }
            left -= job.overlayCost(limit: left, isWanted)
            guard left >= 0 else { return false }
        }
        return true
    }
}

extension StaticJob {
    fileprivate var pixels: Int {
        guard let viewport = view.viewport else { return 0 }
        return Int(viewport.width) * Int(viewport.height) * scale * scale
    }

    /// Returns the cost of the client's overlays. The attribution does not count.
    fileprivate func overlayCost(limit: Int, _ isWanted: () -> Bool) -> Int {
        // The view has a size, so `projection` cannot throw.
        guard let projection = try? view.projection(of: quantized.position) else { return 0 }
        return MapImage.cost(
            of: options.overlays, projection: projection, scale: scale, limit: limit, isWanted: isWanted)
    }
}
