/// A layer or a map that is served, as far as caches in front are told of it.
package protocol CDNLayer: AnyObject {
    var id: String { get }
    /// The layers that a map draws.
    var members: [Self] { get }
    /// How many zooms a tile that does not exist is cut out of the nearest one above; 0: as many as a request asks for.
    var overzoom: Int { get }
}
