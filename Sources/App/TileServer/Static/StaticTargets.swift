import Bytes
import Foundation
import Glibc
import HTTPServer
import MapGeometry
import MapService
import Synchronization
import TileCache

/// Caches the parsed form of request targets, which are paths with queries. A request for a cached image is then not
/// parsed again. The cache belongs to one configuration. Thread rule: any thread.
final class StaticTargets: Sendable {
    /// The target of a request, and its parsed form.
    struct Target: Sendable {
        fileprivate let path: SharedBytes
        fileprivate let query: SharedBytes
        fileprivate let hashes: Hashes
        /// The layers and maps of the image, with their generations when the target was parsed.
        fileprivate let sources: [(layer: ServedLayer, generation: UInt32)]
        let key: StaticImages.Key
        /// The header lines with the requested camera. One cached image serves cameras whose difference is invisible.
        let camera: SharedBytes
    }

    fileprivate struct Hashes: Hashable {
        let path: ContentHash
        let query: ContentHash
    }

    private struct State {
        var targets: [Hashes: (target: Target, use: Int)] = [:]
        var bytes = 0
        var uses = 0
    }

    private let budget: Int
    private let state = Mutex(State())

    /// Makes a cache with `budget` bytes.
    init(budget: Int) {
        self.budget = budget
    }

    /// Returns the parsed form of the path and query of `request`. Returns nil if the target is not in this cache, or
    /// if its whole layer was cleared in the meantime.
    func find(_ request: Request) -> Target? {
        let hashes = Hashes(path: ContentHash(of: request.path), query: ContentHash(of: request.queryBytes))
        let found = state.withLock { state -> Target? in
            state.uses += 1
            state.targets[hashes]?.use = state.uses
            return state.targets[hashes]?.target
        }
        // An attacker can construct two targets with the same hashes, so the bytes are compared too.
        guard let found, found.path.buffer.hasBytes(of: request.path),
            found.query.buffer.hasBytes(of: request.queryBytes),
            found.sources.allSatisfy({ $0.generation == $0.layer.source.generation.current })
        else { return nil }
        return found
    }

    /// Caches `target`, unless it is larger than the whole cache. Evicts the least recently used targets if there is no
    /// room.
    func keep(_ target: Target) {
        let cost = Self.cost(target)
        guard cost <= budget else { return }
        state.withLock { state in
            if let old = state.targets[target.hashes] { state.bytes -= Self.cost(old.target) }
            state.uses += 1
            state.targets[target.hashes] = (target, state.uses)
            state.bytes += cost
            // The cache has few targets, so a search for the oldest takes little time.
            while state.bytes > budget || state.targets.count > Self.most,
                let oldest = state.targets.min(by: { $0.value.use < $1.value.use })
            {
                state.targets[oldest.key] = nil
                state.bytes -= Self.cost(oldest.value.target)
            }
        }
    }

    private static let most = 1_024

    /// Bytes of a target with the objects around it. The key's text counts in full, because its image may be gone from
    /// the cache.
    private static func cost(_ target: Target) -> Int {
        target.path.count + target.query.count + target.key.size + target.camera.count + 512
            + target.sources.count * 16
    }
}

extension StaticTargets.Target {
    /// Makes a target from `request`, with `job` as its parsed form.
    init(_ request: Request, _ job: StaticJob) {
        path = SharedBytes(request.path)
        query = SharedBytes(request.queryBytes)
        hashes = StaticTargets.Hashes(path: ContentHash(of: path), query: ContentHash(of: query))
        // Read before the key: the key then has the same generations or later ones.
        sources = job.sources.map { ($0, $0.source.generation.current) }
        key = job.key
        var fields = [(OwnField.camera.rawValue, job.camera.position.headerText)]
        if !job.camera.clamped.isEmpty {
            fields.append((OwnField.cameraClamped.rawValue, job.camera.clamped.map(\.rawValue).joined(separator: ", ")))
        }
        camera = FieldLines.make(fields)
    }
}

extension Request {
    /// The query, or empty bytes if there is none.
    fileprivate var queryBytes: UnsafeRawBufferPointer { query ?? UnsafeRawBufferPointer(start: nil, count: 0) }
}

extension UnsafeRawBufferPointer {
    fileprivate func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let baseAddress, let start = other.baseAddress else { return count == 0 }
        return memcmp(baseAddress, start, count) == 0
    }
}

extension CameraPosition {
    /// `lat,lng,zoom,bearing,viewingAngle`, coordinates to nine decimals (docs/spec/model.md ruling 19).
    fileprivate var headerText: String {
        let numbers = [(latitude, 9), (longitude, 9), (zoom, 6), (bearing, 6), (viewingAngle, 6)]
        return numbers.map { String(format: "%.\($1)f", $0) }.joined(separator: ",")
    }
}
