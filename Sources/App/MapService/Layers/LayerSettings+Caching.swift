import Bytes
import Configuration
import Foundation
import TileCache

extension FreshnessPolicy {
    /// Makes the caching policy of a layer from its settings. All times are rounded down to whole seconds.
    package init(_ settings: LayerSettings) {
        self.init(
            timeToLive: settings.ttl.wholeSeconds, shortest: settings.minTTL.wholeSeconds,
            longest: settings.maxTTL.wholeSeconds, noTileTimeToLive: settings.noTileMaxAge.wholeSeconds)
        imposesShortest = settings.explicit.minTTL != nil
        imposesNoTile = settings.explicit.noTileMaxAge != nil
        overridesSource = settings.overrideTTL
        staleWhileRevalidate = settings.staleWhileRevalidate?.limit?.wholeSeconds
        staleIfError = settings.staleIfError?.limit?.wholeSeconds
        // `source` in the settings: a stale tile is served only as long as the source allows.
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
    /// A hash of the settings that determine the tiles of the layer's source. While a layer has the same fingerprint,
    /// its tiles are the same, unless its file or its upstream changes. A layer keeps its fingerprint after a change of
    /// settings that do not affect these tiles. The value is the same in every process of the same build. Only the
    /// value for a GeoJSON file also depends on the file's device, inode, size and modification time.
    package var sourceFingerprint: String {
        let settings = source.settings
        // Another build of the program may draw different pixels.
        let drawing = type(of: settings).isDrawn ? [Program.identity, "\(png)"] : []
        let parts = [type(of: settings).key] + drawing + settings.identity + ["\(tileSize)"]
        return ContentHash(of: SharedBytes(parts.joined(separator: "\n"))).hexadecimal
    }
}

extension LayerSettings {
    /// The version of a source whose tiles of different versions must not be mixed on disk.
    enum Version: Equatable {
        /// The source has no versions.
        case none
        case known(String)
        /// The source has versions, and cannot be asked now.
        case unknown
    }

    /// Returns the fingerprint of one version of the source. `stored` returns the fingerprint with this beginning under
    /// which the layer has tiles on disk, or nil. An unknown version takes that fingerprint, so that tiles on disk are
    /// served while the source is away.
    func fingerprint(of version: Version, stored: (String) -> String?) -> String {
        guard version != .none else { return sourceFingerprint }
        let half = sourceFingerprint.prefix(16)
        switch version {
        case .known(let text): return "\(half)\(ContentHash(of: SharedBytes(text)).hexadecimal.prefix(16))"
        case .none, .unknown: return stored(String(half)) ?? "\(half)\(String(repeating: "0", count: 16))"
        }
    }
}

extension LayerSource {
    package var isMap: Bool {
        if case .map = self { true } else { false }
    }
}

/// The running program.
private enum Program {
    /// A string that differs from build to build: a hash of the executable file. It takes some milliseconds, once.
    static let identity: String = {
        // The file is mapped, so it takes no memory of its own.
        guard let file = try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/exe"), options: .alwaysMapped) else {
            return MapService.version
        }
        return "\(MapService.version) \(file.withUnsafeBytes { ContentHash(of: $0) }.hexadecimal)"
    }()
}
