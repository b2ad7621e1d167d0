/// TLS settings of a layer: trusted authorities and client certificate, as PEM texts (RFC 7468) that were already
/// checked.
///
/// The texts count, and not their files. Only requests with equal texts share a connection, so that a changed file
/// never uses a connection that was made with the old text.
package struct UpstreamTLS: Sendable, Hashable {
    /// Certificates of the trusted authorities. Nil means the system's authorities.
    package var authorities: String?
    /// The layer's client certificate, followed by the chain to its authority. Nil means none.
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
