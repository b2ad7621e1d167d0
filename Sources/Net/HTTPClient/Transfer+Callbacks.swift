import CLibcurl
import Glibc

/// Sets the libcurl options that are equal for all requests, and handles the calls from libcurl during a request.
extension Transfer {
    /// Maximum bytes that are read of a body that is not kept, so that the connection can be reused. Beyond it, the
    /// connection is closed.
    private static let discardLimit = 65_536

    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    func configure() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        curl_set_pointer(easy, CURLOPT_PRIVATE, context)
        curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // Without this option, a timeout during name resolution waits for the resolver's thread and blocks the reactor.
        curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        // This client follows redirects itself, because it checks each hop.
        curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        // Ignores the environment's proxy variables.
        curl_set_string(easy, CURLOPT_NOPROXY, "*")
        // Images gain little from compression. libcurl still decodes a content coding that an upstream uses unasked.
        curl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "identity")
        curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        curl_set_long(easy, CURLOPT_HTTP09_ALLOWED, 0)
        curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
        curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
        curl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // One read takes most tiles. Slightly below the largest block that `pool.c` keeps for the next transfer.
        curl_set_long(easy, CURLOPT_BUFFERSIZE, 32_704)
        curl_set_on_header(easy, { Transfer.from($3)?.received(line: $0, count: $1 * $2) ?? 0 }, context)
        curl_set_on_write(easy, { Transfer.from($3)?.received(body: $0, count: $1 * $2) ?? 0 }, context)
        curl_set_on_open_socket(easy, { context, _, address in Transfer.from(context)?.open(address) ?? -1 }, context)
        curl_set_on_request(
            easy,
            { context, address, _, _, _ in
                guard let transfer = Transfer.from(context), transfer.maySend(to: address) else {
                    return CURL_PREREQFUNC_ABORT
                }
                return CURL_PREREQFUNC_OK
            }, context)
        // Uses the loop as context, because connections outlive transfers.
        curl_set_on_close_socket(
            easy,
            { context, descriptor in
                TransferLoop.from(context)?.close(descriptor)
                return 0
            }, Unmanaged.passUnretained(loop).toOpaque())
    }

    /// Takes a line of the head. Any return value except `count` makes libcurl abort.
    private func received(line: UnsafePointer<CChar>?, count: Int) -> Int {
        guard fault == nil else { return 0 }
        fault = head.take(UnsafeRawBufferPointer(start: line, count: count), limit: limits.head)
        if fault == nil, head.isComplete { fault = faultOfHead() }
        return fault == nil ? count : 0
    }

    /// Returns an error if the response has a complete head whose body must not be read.
    private func faultOfHead() -> UpstreamError? {
        if let range { return range.fault(of: head) }
        // An error page of any size still tells its status.
        guard head.status == 200, let length = head.contentLength, length > limits.body else { return nil }
        return .tooLarge(.body, limit: limits.body)
    }

    /// Handles the next bytes of the body, after libcurl has decoded them. Returns `count` if the bytes were taken or
    /// discarded. Any other number makes libcurl pause or stop the request.
    private func received(body bytes: UnsafePointer<CChar>?, count: Int) -> Int {
        guard fault == nil else { return 0 }
        guard head.status == keptStatus else {
            discarded += count
            return discarded <= Self.discardLimit ? count : 0
        }
        if mustWait() { return Int(CURL_WRITEFUNC_PAUSE) }
        bytesOfTurn += count
        if let length = head.contentLength, !body.reserve(length) {
            fault = .noMemory
            return 0
        }
        let limit = range?.count ?? limits.body
        switch body.append(UnsafeRawBufferPointer(start: bytes, count: count), limit: limit) {
        case .taken: return count
        case .tooLarge: fault = .tooLarge(.body, limit: limit)
        case .noMemory: fault = .noMemory
        }
        return 0
    }

    /// Opens the socket for a new connection of libcurl. Refuses the connection if its address is not allowed.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
        guard let address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
        if hop.reach == .publicOnly || (hop.reach == .scope && profile?.scope?.allowsPrivate != true) {
            let refused = AddressScope.refusal(
                of: UnsafeRawPointer(address) + offset, length: Int(address.pointee.addrlen))
            if let refused {
                fault = .denied(address: refused)
                return -1
            }
        }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
        guard descriptor >= 0 else {
            fault = .connect(.failed(errno: errno))
            return -1
        }
        loop.opened(descriptor)
        hop.isFresh = true
        return descriptor
    }

    /// Reports whether the request may be sent. Called when a new or reused connection is ready, before each sending of
    /// the request.
    private func maySend(to address: UnsafePointer<CChar>?) -> Bool {
        // A reused connection may lead to an address that is not allowed for this hop.
        if let address, !mayUse(address) {
            fault = .denied(address: String(cString: address))
            return false
        }
        if hop.sent > 0, !mayRetry() { return false }
        hop.sent += 1
        hop.isFresh = false
        return true
    }

    private func mayUse(_ address: UnsafePointer<CChar>) -> Bool {
        switch hop.reach {
        case .anywhere: true
        case .publicOnly: AddressScope.isPublic(text: address)
        case .scope: profile?.scope?.connected(toPublic: AddressScope.isPublic(text: address)) ?? true
        }
    }

    /// Reports whether libcurl may send the request again now. libcurl retries by itself if a kept-alive connection was
    /// already closed. The next connection may be closed too, and a redirect could be retried again. This method
    /// therefore allows only one retry, on a new connection.
    private func mayRetry() -> Bool {
        guard !hasRetried, hop.sent == 1 else {
            fault = .short
            return false
        }
        guard hop.isFresh else {
            hop.wantsRetry = true
            return false
        }
        hasRetried = true
        return true
    }

    /// Translates libcurl's error `code` into an error of the client. Used if none of the callbacks has found a more
    /// exact reason.
    func failure(_ code: CURLcode) -> UpstreamError {
        switch code {
        case CURLE_URL_MALFORMAT: .badURL
        // libcurl reports this code for an unknown scheme before it sends anything, and for an invalid head after that.
        case CURLE_UNSUPPORTED_PROTOCOL: hop.sent == 0 ? .badURL : .badHead(.notHTTP)
        case CURLE_WEIRD_SERVER_REPLY: .badHead(.notHTTP)
        case CURLE_COULDNT_RESOLVE_HOST: .connect(.unresolved)
        case CURLE_COULDNT_CONNECT: .connect(.failed(errno: systemError()))
        case CURLE_OPERATION_TIMEDOUT: .timeout(.connect)
        // libcurl's own limit for a header line is 100 KiB. It is above this client's limit for the whole head.
        case CURLE_OUT_OF_MEMORY where hop.sent > 0 && !head.isComplete: .tooLarge(.head, limit: limits.head)
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
