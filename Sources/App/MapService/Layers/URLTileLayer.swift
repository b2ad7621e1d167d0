import Configuration
import Foundation

/// A layer that fetches its tiles from an upstream. The layer has a function that returns the URL of each tile, like
/// the SDK's `GMSURLTileLayer`. The statuses 204, 404 and 410, and 200 without content, mean "no tile". After any other
/// response without an image, the tile is unavailable, and the server retries later. The status 304 confirms the tile
/// in the cache.
///
/// The layer is a plain value and can be used on any thread.
public struct URLTileLayer: Sendable {
    /// Returns the http or https URL of the tile at column `x`, row `y` of `zoom`. Nil: there is no tile at this
    /// coordinate, and no request is sent. Called on any thread; must not block.
    public typealias URLConstructor = @Sendable (_ x: Int, _ y: Int, _ zoom: Int) -> URL?

    /// The function that returns the URL of each tile.
    public var urlConstructor: URLConstructor
    /// The `User-Agent` header that describes the application to the upstream. Nil, the default: the server's own.
    public var userAgent: String?
    /// The `Referer` header. Nil: not sent.
    public var referer: String?
    /// Headers that are sent with every request. A redirect to another origin does not get these headers.
    public var headers: [String: String] = [:]
    /// True if the layer may use addresses in private or local networks after a redirect. Also allows a host whose
    /// address changes from a public address to such an address.
    public var allowPrivate = false
    /// A PEM file with the certificate authorities that are trusted for the upstream. Nil: the system's authorities.
    public var caFile: String?
    /// The client certificate for an https upstream. Nil: none is sent.
    public var clientCertificate: URLSource.ClientCertificate?

    /// Makes a layer with the URLs of `urlConstructor`.
    public init(urlConstructor: @escaping URLConstructor) {
        self.urlConstructor = urlConstructor
    }
}
