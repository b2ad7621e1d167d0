import Bytes
import Foundation
import Glibc
import HTTPServer
import MapGeometry
import MapService
import Synchronization
import TileCache

/// What the targets of requests for cached images meant when they were read, so that none is parsed twice. The targets of one
/// configuration: another has others.
///
/// Thread rule: any thread.
final class StaticTargets: Sendable {
    /// A target as it came, and what it says of the image.
    struct Target: Sendable {
        fileprivate let path: SharedBytes
        fileprivate let query: SharedBytes
        fileprivate let hashes: Hashes
        fileprivate let layer: ServedLayer
        fileprivate let generation: UInt32
        let key: StaticImages.Key
        /// The field lines of the camera that was asked for: one image stands for cameras that differ by less than can be
        /// seen.
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

    /// `budget` in bytes.
    init(budget: Int) {
        self.budget = budget
    }

    /// What the target of `request` means; nil where it is not known, and after its layer was cleared.
    func find(_ request: Request) -> Target? {
        let hashes = Hashes(path: ContentHash(of: request.path), query: ContentHash(of: request.queryBytes))
        let found = state.withLock { state -> Target? in
            state.uses += 1
            state.targets[hashes]?.use = state.uses
            return state.targets[hashes]?.target
        }
        // Two targets of the same hashes can be made on purpose.
        guard let found, found.path.buffer.hasBytes(of: request.path),
            found.query.buffer.hasBytes(of: request.queryBytes),
            found.generation == found.layer.source.generation.current
        else { return nil }
        return found
    }

    /// Keeps `target`; those that were asked for least recently go for it.
    func keep(_ target: Target) {
        let cost = Self.cost(target)
        guard cost <= budget else { return }
        state.withLock { state in
            if let old = state.targets[target.hashes] { state.bytes -= Self.cost(old.target) }
            state.uses += 1
            state.targets[target.hashes] = (target, state.uses)
            state.bytes += cost
            // Few are kept, as of images.
            while state.bytes > budget || state.targets.count > Self.most,
                let oldest = state.targets.min(by: { $0.value.use < $1.value.use })
            {
                state.targets[oldest.key] = nil
                state.bytes -= Self.cost(oldest.value.target)
            }
        }
    }

    private static let most = 1_024

    /// With the objects around it; the key's text may be its own where the image has gone.
    private static func cost(_ target: Target) -> Int {
        target.path.count + target.query.count + target.key.size + target.camera.count + 512
    }
}

extension StaticTargets.Target {
    /// `job`: what the target of `request` says.
    init(_ request: Request, _ job: StaticJob) {
        path = SharedBytes(request.path)
        query = SharedBytes(request.queryBytes)
        hashes = StaticTargets.Hashes(path: ContentHash(of: path), query: ContentHash(of: query))
        layer = job.layer
        // Before the key, which has the generation of then or of later.
        generation = job.layer.source.generation.current
        key = job.key
        var fields = [(OwnField.camera.rawValue, job.camera.position.headerText)]
        if !job.camera.clamped.isEmpty {
            fields.append((OwnField.cameraClamped.rawValue, job.camera.clamped.map(\.rawValue).joined(separator: ", ")))
        }
        camera = FieldLines.make(fields)
    }
}

extension Request {
    /// Empty where there is none, which says the same.
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
