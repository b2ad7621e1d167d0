/// How a request went, as far as libcurl tells: for an operator who asks why a source is slow or cannot be had.
///
/// Of a request that was redirected it is the last hop's. Times are in seconds from the start of that hop.
public struct UpstreamTrace: Sendable, Equatable {
    /// The other end, such as `192.0.2.1:443` or `[2001:db8::1]:443`; nil where there was no connection.
    public let address: String?
    /// Until the name had an address; nil where it never had one.
    public let resolved: Double?
    /// Until the TCP connection stood; nil where it never did.
    public let connected: Double?
    /// Until TLS stood; nil where it never did, and without TLS.
    public let secured: Double?
    /// Until the first byte of the response; nil where none came.
    public let firstByte: Double?
    /// Until the end.
    public let total: Double
    /// The version of TLS, such as `TLSv1.3`; nil where none was agreed on.
    public let tlsVersion: String?
    /// When the other end's certificate ends, in seconds since 1970; nil where none was accepted.
    public let certificateEnd: Int?
    /// What libcurl says is wrong with TLS, in its words; nil where nothing is.
    public let tlsTrouble: String?
    /// How many redirects were followed.
    public let redirects: Int
}
