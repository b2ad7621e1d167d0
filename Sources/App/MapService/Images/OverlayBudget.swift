import MapRenderer

/// How much may be drawn over the tiles of an image, or of all frames of an animation together: each marker and path costs
/// the pixels that it covers (`MapImage.cost`).
enum OverlayBudget {
    /// Pixels for each pixel of the image, and pixels that every image may have (docs/spec/threats.md 2).
    private static let share = 32
    private static let least = 16 << 20

    /// What is said where it is not kept.
    static let fault = CameraRequestError.malformed(
        "path", expected: "markers and paths that together cover at most 32 times the image's pixels")

    /// Whether `jobs`, which are frames of one size, keep to it. Visits each point of a path, and draws nothing; true where
    /// `isWanted`, which is asked again and again, says no.
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

    /// Without the attribution, which is not the client's.
    fileprivate func overlayCost(limit: Int, _ isWanted: () -> Bool) -> Int {
        // The view has a size, so there is nothing to throw.
        guard let projection = try? view.projection(of: quantized.position) else { return 0 }
        return MapImage.cost(
            of: options.overlays, projection: projection, scale: scale, limit: limit, isWanted: isWanted)
    }
}
