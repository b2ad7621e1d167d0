import Bytes
import CLibcurl

extension Transfer {
    /// Holds the receiver of one request's trace, and the facts about TLS from libcurl's log. A class, so that a
    /// transfer without tracing needs memory only for an empty reference.
    final class Tracing {
        let receive: @Sendable (UpstreamTrace) -> Void
        var tlsVersion: String?
        var tlsTrouble: String?

        init(_ receive: @escaping @Sendable (UpstreamTrace) -> Void) { self.receive = receive }

        /// Takes a line of libcurl's log (CURLOPT_DEBUGFUNCTION). The log has the TLS version, and the reason why a
        /// certificate was refused.
        func note(_ line: String) {
            if let version = line.after("SSL connection using ") {
                tlsVersion = String(version.prefix { $0 != " " })
            } else if line.hasPrefix("SSL certificate problem: ") || line.hasPrefix("SSL: ") {
                tlsTrouble = line
            }
        }
    }

    /// Starts to record the trace of the request, which `receive` gets. The first hop uses a new connection, because
    /// the trace shows how the connection is set up. A hop after a redirect may reuse a connection.
    func beginTracing(_ receive: @escaping @Sendable (UpstreamTrace) -> Void) {
        tracing = Tracing(receive)
        curl_set_long(easy, CURLOPT_CERTINFO, 1)
        curl_set_long(easy, CURLOPT_VERBOSE, 1)
        curl_set_on_debug(
            easy,
            { _, kind, text, count, context in
                if kind == CURLINFO_TEXT, let text, let tracing = Transfer.from(context)?.tracing {
                    let line = UnsafeRawBufferPointer(start: text, count: count).prefix { $0 >= 0x20 }
                    tracing.note(String(decoding: line, as: UTF8.self))
                }
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        forceFreshConnection(true)
    }

    /// Sends the trace of the ended request to its receiver.
    func endTracing() {
        guard let tracing else { return }
        self.tracing = nil
        let trace = trace(tracing)
        curl_set_long(easy, CURLOPT_CERTINFO, 0)
        curl_set_long(easy, CURLOPT_VERBOSE, 0)
        forceFreshConnection(false)
        tracing.receive(trace)
    }

    private func trace(_ tracing: Tracing) -> UpstreamTrace {
        UpstreamTrace(
            address: address, resolved: seconds(CURLINFO_NAMELOOKUP_TIME_T),
            connected: seconds(CURLINFO_CONNECT_TIME_T),
            secured: seconds(CURLINFO_APPCONNECT_TIME_T), firstByte: seconds(CURLINFO_STARTTRANSFER_TIME_T),
            total: seconds(CURLINFO_TOTAL_TIME_T) ?? 0, tlsVersion: tracing.tlsVersion, certificateEnd: certificateEnd,
            tlsTrouble: tracing.tlsTrouble, redirects: hop.number)
    }

    /// Returns nil if the event did not happen.
    private func seconds(_ info: CURLINFO) -> Double? {
        var microseconds: curl_off_t = 0
        curl_get_size(easy, info, &microseconds)
        return microseconds > 0 ? Double(microseconds) / 1e6 : nil
    }

    private var address: String? {
        var text: UnsafeMutablePointer<CChar>?
        var port = 0
        curl_get_string(easy, CURLINFO_PRIMARY_IP, &text)
        curl_get_long(easy, CURLINFO_PRIMARY_PORT, &port)
        guard let text, text.pointee != 0 else { return nil }
        let host = String(cString: text)
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Expiry of the first certificate, which is the upstream's own: `Expire date:Nov 23 12:00:00 2027 GMT`. Nil if
    /// libcurl reports no certificate or no valid date.
    private var certificateEnd: Int? {
        var chain: UnsafeMutablePointer<curl_certinfo>?
        curl_get_certificates(easy, &chain)
        guard let chain, chain.pointee.num_of_certs > 0 else { return nil }
        var line = chain.pointee.certinfo[0]
        while let field = line?.pointee {
            if let end = field.data.flatMap({ String(cString: $0).after("Expire date:") }) { return Self.time(end) }
            line = field.next
        }
        return nil
    }

    /// Returns seconds since 1970, or nil for an invalid text. The format is that of asctime, without the day of the
    /// week and with a time zone.
    static func time(_ text: String) -> Int? {
        text.hasSuffix(" GMT") ? HTTPDate.parse(Array("Sun \(text.dropLast(4))".utf8), now: 0) : nil
    }
}

extension String {
    /// Returns the text after `start`. Returns nil if the string does not begin with `start`.
    fileprivate func after(_ start: String) -> String? {
        hasPrefix(start) ? String(dropFirst(start.count)) : nil
    }
}
