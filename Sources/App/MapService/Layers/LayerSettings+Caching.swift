import Bytes
import Configuration
import Glibc
import TileCache

extension FreshnessPolicy {
    /// The policy that a layer's settings describe, in whole seconds.
    package init(_ settings: LayerSettings) {
        self.init(
            timeToLive: settings.ttl.wholeSeconds, shortest: settings.minTTL.wholeSeconds,
            longest: settings.maxTTL.wholeSeconds, noTileTimeToLive: settings.noTileMaxAge.wholeSeconds)
        imposesShortest = settings.explicit.minTTL != nil
        imposesNoTile = settings.explicit.noTileMaxAge != nil
        overridesSource = settings.overrideTTL
        staleWhileRevalidate = settings.staleWhileRevalidate?.limit?.wholeSeconds
        staleIfError = settings.staleIfError?.limit?.wholeSeconds
        // `source`: only as long as that says.
        if settings.staleWhileRevalidate == nil {
            defaultStaleWhileRevalidate = LayerSettings.usualStaleWhileRevalidate.wholeSeconds
        }
        if settings.staleIfError == nil { defaultStaleIfError = LayerSettings.usualStaleIfError.wholeSeconds }
    }
}

extension Duration {
    fileprivate var wholeSeconds: Int { Int(clamping: components.seconds) }
}

extension LayerSettings {
    /// Tells what the layer's tiles are made from: two layers, or one before and after a change, have the same exactly where
    /// the same tiles come out. The same in every process.
    package var sourceFingerprint: String {
        let settings = source.settings
        // Another build of the program may draw otherwise.
        let drawing = type(of: settings).isDrawn ? [Program.identity, "\(png)"] : []
        let parts = [type(of: settings).key] + drawing + settings.identity + ["\(tileSize)"]
        return ContentHash(of: SharedBytes(parts.joined(separator: "\n"))).hexadecimal
    }
}

extension LayerSource {
    package var isMap: Bool {
        if case .map = self { true } else { false }
    }
}

/// The program that runs.
private enum Program {
    /// Differs from build to build.
    static let identity: String = {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return MapService.version }
        return "\(MapService.version) \(status.st_size) \(status.st_mtim.tv_sec)"
    }()
}
