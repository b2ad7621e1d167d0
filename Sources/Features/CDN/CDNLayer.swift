/// A served layer or map, with the properties that matter to caches in front.
package protocol CDNLayer: AnyObject {
    var id: String { get }
    /// The layers that a map draws.
    var members: [Self] { get }
    /// Maximum number of zooms between a missing tile and the coarser tile that it is cut out of. 0: tiles are cut out
    /// only if a request asks for it, and then from any zoom.
    var overzoom: Int { get }
}
