import Foundation
import Reactor

/// Where the service computes: a queue for each class of work, so that none waits for another.
package struct ServiceWork: Sendable {
    /// What cameras see and how they move: microseconds for each request.
    package let cameras = WorkQueue(label: "cameras", width: 2, depth: 1_024)
    /// Tiles that are drawn here, in other sizes and formats, and of several layers.
    package let tiles: WorkQueue
    /// Static images and animations. Fewer at a time than there are cores, where there are several.
    package let images: WorkQueue
    /// Reads of files, which wait for the disk.
    package let files = WorkQueue(label: "files", width: 8, depth: 1_024)

    init(cores: Int = ProcessInfo.processInfo.activeProcessorCount) {
        tiles = WorkQueue(label: "tiles", width: cores, depth: 1_024)
        images = WorkQueue(label: "images", width: max(cores - 1, 1), depth: 1_024)
    }
}
