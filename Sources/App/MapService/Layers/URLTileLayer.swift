import Configuration
import Foundation

/// Tiles that another server has, by a URL for each: the SDK's `GMSURLTileLayer`.
///
/// An image passes through with its bytes untouched. 204, 404 and 410 are "no tile"; everything else that is not an image is
/// unavailable, and asked for again later. A plain value for any thread.
public struct URLTileLayer: Sendable {
    /// Gives the URL of the tile at column `x`, row `y` of `zoom`, which is http or https. Called from any thread; must not
    /// block. Nil: there is no tile at this coordinate, and no server is asked.
    public typealias URLConstructor = @Sendable (_ x: Int, _ y: Int, _ zoom: Int) -> URL?

    /// Where the tiles are.
    public var urlConstructor: URLConstructor
    /// Describes the application to the other server, as `User-Agent`. Nil, as it is unless set: the server's own.
    public var userAgent: String?
    /// Sent as `Referer`. Nil: none is sent.
    public var referer: String?
    /// Sent with every request, but not to another origin that a redirect leads to.
    public var headers: [String: String] = [:]
    /// Whether a redirect, and a host that was public before, may lead to an address of a private or local network.
    public var allowPrivate = false
    /// A PEM file of the certificate authorities that the other server is trusted by, in place of the system's.
    public var caFile: String?
    /// What an https server is shown of who asks.
    public var clientCertificate: URLSource.ClientCertificate?

    /// A layer whose tiles are where `urlConstructor` says.
    public init(urlConstructor: @escaping URLConstructor) {
        self.urlConstructor = urlConstructor
    }
}
