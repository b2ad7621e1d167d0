/// A served layer or map, with the properties that matter to caches in front.
package protocol CDNLayer: AnyObject {
    var id: String { get }
    /// The layers that a map draws.
    var members: [Self] { get }
    /// Number of zooms above a missing tile in which the server looks for a tile to cut the missing tile from. 0: each
    /// request chooses the number.
    var overzoom: Int { get }
}
