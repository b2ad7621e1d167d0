import EventLog
import Foundation
import Logging
import Runtime

/// The work queues of the service. Each kind of work has its own queue and threads, so no kind occupies the threads of
/// another.
package struct ServiceWork: Sendable {
    /// Computes movements and covers of cameras, and sorts lists of tiles to expire. Most requests take microseconds.
    /// Kinds of requests that were measured as long leave at least one thread for the others.
    package let cameras: WorkQueue
    /// Draws tiles, and makes tiles of other sizes and formats and of several layers. Layers with slow tiles leave at
    /// least one thread for layers with fast tiles. The threads for slow tiles run with a lower priority.
    package let tiles: WorkQueue
    /// Makes tiles that need more than a sixth of the memory for clients each. The threads may wait for memory, which
    /// limits how many of these tiles are made at the same time.
    package let largeTiles: WorkQueue
    /// Draws static images and animations. Uses fewer threads than there are cores if there are several cores. The
    /// threads run at a low priority.
    package let images: WorkQueue
    /// Reads files and waits for the disk. The layers log their own errors. Quick reads of one MBTiles file use at most
    /// half of the threads, and so do the slow reads of all MBTiles files together.
    package let files: WorkQueue

    /// The niceness of threads that draw images, slow tiles or large tiles. In the scheduler of Linux, the weight of a
    /// thread is 1,024 without it and 110 with it.
    static let niceness: Int32 = 10

    /// Makes the queues for a machine with `cores` cores. `memory` counts the memory of tiles while they are made.
    init(
        cores: Int = ProcessInfo.processInfo.activeProcessorCount, memory: MemoryBudget? = nil, log: EventLog
    ) {
        // Refusals are reported for the whole queue, because a camera request belongs to no layer.
        cameras = WorkQueue(
            label: "cameras", width: 2, longWidth: 1, depth: 1_024, report: log.refusals(of: "cameras", byLayer: false))
        let threads = max(cores, 2)
        largeTiles = WorkQueue(
            label: "large tiles", width: threads, depth: 1_024, niceness: Self.niceness, memory: memory,
            report: log.refusals(of: "largeTiles"))
        tiles = WorkQueue(
            label: "tiles", width: threads, longWidth: threads - 1, depth: 1_024, niceness: Self.niceness,
            memory: memory, large: largeTiles, report: log.refusals(of: "tiles"))
        files = WorkQueue(label: "files", width: 8, layerWidth: 4, depth: 1_024, memory: memory)
        images = WorkQueue(
            label: "images", width: max(cores - 1, 1), depth: 1_024, niceness: Self.niceness,
            report: log.refusals(of: "images"))
    }
}

extension EventLog {
    /// Returns a function that logs refused work.
    func refusals(of work: String, byLayer: Bool = true) -> WorkQueue.Report {
        { [self] layer, error in
            record("shed", layer: byLayer ? layer : nil, ["what": .string(work), "why": .string(error.rawValue)])
        }
    }
}
