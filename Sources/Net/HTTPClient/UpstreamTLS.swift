/// Whom a layer trusts, and how it makes itself known, over TLS: PEM texts (RFC 7468), judged already.
///
/// The texts and not their files: a connection is shared only among those whose texts are equal, so that another text in the
/// same file is never answered over a connection that was made for the old one.
package struct UpstreamTLS: Sendable, Hashable {
    /// The certificates of the authorities that are trusted in place of the system's; nil trusts the system's.
    package var authorities: String?
    /// The layer's own certificate, and behind it those that lead to its authority; nil shows none.
    package var certificate: String?
    /// The private key of `certificate`.
    package var key: String?

    /// The system's authorities and no certificate, unless told otherwise.
    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }
}
