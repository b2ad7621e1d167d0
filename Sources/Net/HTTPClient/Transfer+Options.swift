import CLibcurl

/// The options that change from one request to another.
extension Transfer {
    func apply(_ profile: UpstreamProfile) {
        self.profile = profile
        limits = profile.limits
        restoreHeaders(profile)
        curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(min(profile.timeouts.connect, 86_400) * 1000)))
        curl_set_size(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(profile.limits.body))
        let own = profile.tls.authorities
        // libcurl trusts all that are set.
        curl_set_string(easy, CURLOPT_CAINFO, own == nil ? Libcurl.authorityFile : nil)
        curl_set_string(easy, CURLOPT_CAPATH, own == nil ? Libcurl.authorityDirectory : nil)
        set(CURLOPT_CAINFO_BLOB, own)
    }

    /// libcurl takes a kept connection only for a transfer with the same texts.
    private func set(_ option: CURLoption, _ text: String?) {
        guard var text else {
            curl_set_blob(easy, option, nil, 0)
            return
        }
        _ = text.withUTF8 { curl_set_blob(easy, option, $0.baseAddress, $0.count) }
    }

    private func show(_ tls: UpstreamTLS?) {
        set(CURLOPT_SSLCERT_BLOB, tls?.certificate)
        set(CURLOPT_SSLKEY_BLOB, tls?.key)
    }

    /// What is asked for: `parts`, which must outlive the transfer, or else `url`, which libcurl reads itself.
    func setURL(_ url: String, _ parts: OpaquePointer?) {
        curl_set_pointer(easy, CURLOPT_CURLU, parts.map(UnsafeMutableRawPointer.init))
        if parts == nil { curl_set_string(easy, CURLOPT_URL, url) }
    }

    /// Whether libcurl must not take a kept connection.
    func forceFreshConnection(_ isForced: Bool) {
        guard isForced != forcesFresh else { return }
        forcesFresh = isForced
        curl_set_long(easy, CURLOPT_FRESH_CONNECT, isForced ? 1 : 0)
    }

    // MARK: Header lines

    func restoreHeaders(_ profile: UpstreamProfile) {
        curl_set_list(easy, CURLOPT_HTTPHEADER, profile.headerList)
        curl_set_string(easy, CURLOPT_USERAGENT, nil)
        if showsCertificate != (profile.tls.certificate != nil) || showsCertificate { show(profile.tls) }
        showsCertificate = profile.tls.certificate != nil
        hasOtherHeaders = false
    }

    /// The configured fields may hold keys, the certificate says who asks, and the conditions name what the configured
    /// origin said: none of them is meant for another.
    func withholdHeaders() {
        curl_set_list(easy, CURLOPT_HTTPHEADER, nil)
        curl_set_string(easy, CURLOPT_USERAGENT, profile?.userAgent)
        if showsCertificate { show(nil) }
        showsCertificate = false
        hasOtherHeaders = true
        isConditional = false
    }

    /// A list of its own, since the profile's is shared. Without memory for it, the request goes out without conditions and the
    /// rest.
    func addLines(_ request: UpstreamRequest) {
        var lines: [String] = []
        if let etag = request.etag { lines.append("If-None-Match: \(etag)") }
        if let lastModified = request.lastModified { lines.append("If-Modified-Since: \(lastModified)") }
        // Two of a name would be one too many: `traceparent` twice is none.
        lines += request.fields.filter { !request.profile.hasField($0.name) }.map { "\($0.name): \($0.value)" }
        if request.content != nil {
            // libcurl would wait for 100 Continue before much of it, and call it the fields of a form.
            lines.append("Expect:")
            let hasType = request.fields.contains { $0.name.lowercased() == "content-type" }
            if !hasType, !request.profile.hasField("Content-Type") { lines.append("Content-Type:") }
        }
        guard let list = request.profile.headerList(with: lines) else { return }
        ownLines = list
        curl_set_list(easy, CURLOPT_HTTPHEADER, list)
        hasOtherHeaders = true
        isConditional = request.isConditional
    }

    /// What the request sends; nil makes it a GET again.
    func setContent(_ content: UpstreamRequest.Content?) {
        guard content != nil || hasContent else { return }
        hasContent = content != nil
        guard let content else {
            curl_set_string(easy, CURLOPT_CUSTOMREQUEST, nil)
            curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, nil)
            curl_set_long(easy, CURLOPT_HTTPGET, 1)
            return
        }
        curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(content.bytes.count))
        // Copied by libcurl; of no bytes there is an address all the same, or it would ask for them.
        _ = (content.bytes + [0]).withUnsafeBytes { bytes in
            curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        // A method that mostly goes without content has no `Content-Length: 0` either.
        if content.bytes.isEmpty, !["POST", "PUT", "PATCH"].contains(content.method) {
            curl_set_long(easy, CURLOPT_HTTPGET, 1)
        }
        curl_set_string(easy, CURLOPT_CUSTOMREQUEST, content.method)
    }

    func dropOwnLines() {
        curl_set_list(easy, CURLOPT_HTTPHEADER, nil)
        curl_slist_free_all(ownLines)
        ownLines = nil
    }
}
