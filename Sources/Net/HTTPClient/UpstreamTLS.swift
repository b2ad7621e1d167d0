/// The TLS settings of a profile: the trusted authorities and the client certificate.
///
/// They are PEM texts (RFC 7468). Only requests with equal authorities and equal certificates use the same connection.
/// If the authorities or the certificate change, later requests therefore open new connections.
package struct UpstreamTLS: Sendable, Hashable {
    /// Certificates of the trusted authorities. Nil means the system's authorities.
    package var authorities: String?
    /// The client certificate, followed by the chain to its authority. Nil means none.
    package var certificate: String?
    /// The private key of `certificate`.
    package var key: String?

    /// Creates settings. The defaults are the system's authorities and no certificate.
    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }
}
