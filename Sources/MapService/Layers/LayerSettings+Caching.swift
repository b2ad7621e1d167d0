import Bytes
import Configuration
import Glibc
import TileCache
import TileSources

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
        if settings.staleWhileRevalidate == .source { unsaidStaleWhileRevalidate = 0 }
        if settings.staleIfError == .source { unsaidStaleIfError = 0 }
    }
}

extension Duration {
    fileprivate var wholeSeconds: Int { Int(clamping: components.seconds) }
}

extension LayerSettings {
    /// Tells what the layer's tiles are made from: two layers, or one before and after a change, have the same exactly where
    /// the same tiles come out. The same in every process.
    package var sourceFingerprint: String {
        let parts: [String] =
            switch source {
            case .url(let source): ["url"] + source.identity
            // Another build of the program may draw otherwise.
            case .generator(let generator): ["generator", Program.identity, "\(generator)", "\(png)"]
            case .mbtiles(let path): ["mbtiles", path]
            case .geojson(let source):
                ["geojson", Program.identity, "\(source)", "\(png)", GeoJSONLayer.identity(ofFileAt: source.path)]
            case .map(let map): ["map", Program.identity, "\(map.layers) \(map.base ?? "") \(map.onError)", "\(png)"]
            case .embedded: ["embedded", Program.identity]
            }
        return ContentHash(of: SharedBytes((parts + ["\(tileSize)"]).joined(separator: "\n"))).hexadecimal
    }
}

extension URLSource {
    /// What decides which tiles come; who asks for them, and from which of equal hosts, does not.
    fileprivate var identity: [String] {
        [template, scheme.rawValue]
            + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            + headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    }
}

extension LayerSource {
    /// The tiles, or what they are made of, lie on this machine already: keeping them a second time would gain nothing.
    var isLocal: Bool {
        switch self {
        case .url(let source): source.template.utf8.starts(with: "file:".utf8)
        case .mbtiles, .map: true
        // Drawn, and soon: a tile on disk would only have to be told from those of an older file.
        case .geojson: true
        case .generator, .embedded: false
        }
    }

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
