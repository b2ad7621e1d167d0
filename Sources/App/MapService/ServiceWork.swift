import EventLog
import Foundation
import Logging
import Runtime

/// Where the service computes: a queue for each class of work, so that none waits for another.
package struct ServiceWork: Sendable {
    /// What cameras see and how they move: microseconds for most requests. Long flights and wide covers leave a thread to the
    /// rest.
    package let cameras: WorkQueue
    /// Tiles that are drawn here, in other sizes and formats, and of several layers. Layers whose tiles take long leave a thread
    /// to those whose tiles take a moment, and their own threads stand back.
    package let tiles: WorkQueue
    /// Tiles that each take more than a sixth of the memory for clients while they are made. Their threads may wait for memory, which
    /// bounds how many run at a time.
    package let largeTiles: WorkQueue
    /// Static images and animations. Fewer at a time than there are cores, where there are several, and on threads that
    /// stand back behind all others.
    package let images: WorkQueue
    /// Reads of files, which wait for the disk. Their layers write the log. One MBTiles file, and all that are slow, leave half
    /// of the threads to the others.
    package let files: WorkQueue

    /// Of threads that draw images, and tiles that take long: weights in the scheduler of Linux are 1,024 without and 110 with it.
    static let niceness: Int32 = 10

    /// `memory` counts the memory of tiles while they are made.
    init(
        cores: Int = ProcessInfo.processInfo.activeProcessorCount, memory: MemoryBudget? = nil, log: EventLog
    ) {
        // By question, not by layer.
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
    /// Records work that was not done because there was too much of it.
    func refusals(of work: String, byLayer: Bool = true) -> WorkQueue.Report {
        { [self] layer, error in
            record("shed", layer: byLayer ? layer : nil, ["what": .string(work), "why": .string(error.rawValue)])
        }
    }
}
