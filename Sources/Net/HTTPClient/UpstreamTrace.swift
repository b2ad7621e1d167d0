/// How a request went, as far as libcurl tells: for an operator who asks why a source is slow or cannot be had.
///
/// Of a request that was redirected it is the last hop's. Times are in seconds from the start of that hop.
package struct UpstreamTrace: Sendable, Equatable {
    /// The other end, such as `192.0.2.1:443` or `[2001:db8::1]:443`; nil where there was no connection.
    package let address: String?
    /// Until the name had an address; nil where it never had one.
    package let resolved: Double?
    /// Until the TCP connection stood; nil where it never did.
    package let connected: Double?
    /// Until TLS stood; nil where it never did, and without TLS.
    package let secured: Double?
    /// Until the first byte of the response; nil where none came.
    package let firstByte: Double?
    /// Until the end.
    package let total: Double
    /// The version of TLS, such as `TLSv1.3`; nil where none was agreed on.
    package let tlsVersion: String?
    /// When the other end's certificate ends, in seconds since 1970; nil where none was accepted.
    package let certificateEnd: Int?
    /// What libcurl says is wrong with TLS, in its words; nil where nothing is.
    package let tlsTrouble: String?
    /// How many redirects were followed.
    package let redirects: Int
}
