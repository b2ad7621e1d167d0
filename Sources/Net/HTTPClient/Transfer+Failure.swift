import CLibcurl
import Glibc

extension Transfer {
    /// What libcurl's `code` means for a transfer in which no callback found a fault.
    func failure(_ code: CURLcode) -> UpstreamError {
        switch code {
        case CURLE_URL_MALFORMAT: .badURL
        // Said of a scheme before anything is sent, and of a head that is not one after it.
        case CURLE_UNSUPPORTED_PROTOCOL: hop.sent == 0 ? .badURL : .badHead(.notHTTP)
        case CURLE_WEIRD_SERVER_REPLY: .badHead(.notHTTP)
        case CURLE_COULDNT_RESOLVE_HOST: .connect(.unresolved)
        case CURLE_COULDNT_CONNECT: .connect(.failed(errno: systemError()))
        case CURLE_OPERATION_TIMEDOUT: .timeout(.connect)
        // libcurl's own bound of one header line, above ours of the whole head, is 100 KiB.
        case CURLE_OUT_OF_MEMORY where hop.sent > 0 && !head.isComplete: .tooLarge(.head, limit: limits.head)
        case CURLE_FILESIZE_EXCEEDED: .tooLarge(.body, limit: limits.body)
        case CURLE_BAD_CONTENT_ENCODING: .badEncoding
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            .short
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT,
            CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED:
            .tls(code: Int(code.rawValue))
        default: .other(code: Int(code.rawValue))
        }
    }

    private func systemError() -> Int32 {
        var code = 0
        curl_get_long(easy, CURLINFO_OS_ERRNO, &code)
        return Int32(truncatingIfNeeded: code)
    }
}
