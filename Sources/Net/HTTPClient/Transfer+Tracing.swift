import Bytes
import CLibcurl

extension Transfer {
    /// Who wants to know how the request went, and what libcurl said meanwhile. A class, so that a transfer without it has one
    /// reference more and nothing else.
    final class Tracing {
        let receive: @Sendable (UpstreamTrace) -> Void
        var tlsVersion: String?
        var tlsTrouble: String?

        init(_ receive: @escaping @Sendable (UpstreamTrace) -> Void) { self.receive = receive }

        /// A line of what libcurl says of its work (CURLOPT_DEBUGFUNCTION). Nothing else of it tells the version of TLS, or why a
        /// certificate was refused.
        func note(_ line: String) {
            if let version = line.after("SSL connection using ") {
                tlsVersion = String(version.prefix { $0 != " " })
            } else if line.hasPrefix("SSL certificate problem: ") || line.hasPrefix("SSL: ") {
                tlsTrouble = line
            }
        }
    }

    /// Has libcurl tell of the request, over a connection of its own: how one comes about is a part of it.
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

    /// Tells how the request went, which has ended.
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

    /// Nil for what did not happen.
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

    /// Of the first certificate, which is the other end's own: `Expire date:Nov 23 12:00:00 2027 GMT`.
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

    /// Seconds since 1970; nil for another text. It is asctime's form of a date but for the day of the week and the zone.
    static func time(_ text: String) -> Int? {
        text.hasSuffix(" GMT") ? HTTPDate.parse(Array("Sun \(text.dropLast(4))".utf8), now: 0) : nil
    }
}

extension String {
    /// What follows `start`; nil where this does not begin with it.
    fileprivate func after(_ start: String) -> String? {
        hasPrefix(start) ? String(dropFirst(start.count)) : nil
    }
}
