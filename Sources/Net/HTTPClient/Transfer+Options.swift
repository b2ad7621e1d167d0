import CLibcurl

/// Sets the libcurl options that differ between requests.
extension Transfer {
    func apply(_ profile: UpstreamProfile) {
        self.profile = profile
        limits = profile.limits
        restoreHeaders(profile)
        curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(min(profile.timeouts.connect, 86_400) * 1000)))
        let own = profile.tls.authorities
        // libcurl trusts the certificates of all options that are set.
        curl_set_string(easy, CURLOPT_CAINFO, own == nil ? Libcurl.authorityFile : nil)
        curl_set_string(easy, CURLOPT_CAPATH, own == nil ? Libcurl.authorityDirectory : nil)
        set(CURLOPT_CAINFO_BLOB, own)
    }

    /// Sets an option to a text, or to none. libcurl reuses a connection only for a transfer with equal authorities and
    /// an equal certificate. It does not compare keys.
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

    /// Sets the target of the request. If `parts` is nil, libcurl parses `url`. `parts` must stay valid while the
    /// handle uses it.
    func setURL(_ url: String, _ parts: OpaquePointer?) {
        curl_set_pointer(easy, CURLOPT_CURLU, parts.map(UnsafeMutableRawPointer.init))
        if parts == nil { curl_set_string(easy, CURLOPT_URL, url) }
    }

    /// Sets whether libcurl must open a new connection.
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

    /// Removes the profile's own data from a request to another origin. The configured fields may contain keys, the
    /// certificate identifies this client, and the conditions come from the configured origin's responses.
    func withholdHeaders() {
        curl_set_list(easy, CURLOPT_HTTPHEADER, nil)
        curl_set_string(easy, CURLOPT_USERAGENT, profile?.userAgent)
        if showsCertificate { show(nil) }
        showsCertificate = false
        hasOtherHeaders = true
        isConditional = false
    }

    /// Adds the header lines that only this request has. The profile's list of lines is shared by all requests, so the
    /// method creates a new list. If there is no memory for the list, the request is sent without these lines.
    func addLines(_ request: UpstreamRequest) {
        var lines: [String] = []
        if let etag = request.etag { lines.append("If-None-Match: \(etag)") }
        if let lastModified = request.lastModified { lines.append("If-Modified-Since: \(lastModified)") }
        // The profile's field wins, because a field that is sent twice may be invalid: `traceparent` twice counts as
        // none.
        lines += request.fields.filter { !request.profile.hasField($0.name) }.map { "\($0.name): \($0.value)" }
        if request.content != nil {
            // By default, libcurl waits for 100 Continue before large content, and sets the type of an HTML form.
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

    /// Sets the method and the content of the request. Nil means a GET without content.
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
        // libcurl copies the bytes. The extra byte gives empty content an address. Without an address, libcurl would
        // ask for the content.
        _ = (content.bytes + [0]).withUnsafeBytes { bytes in
            curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        // Other methods have no `Content-Length: 0` without content.
        if content.bytes.isEmpty, !["POST", "PUT", "PATCH"].contains(content.method) {
            curl_set_long(easy, CURLOPT_HTTPGET, 1)
        }
        curl_set_string(easy, CURLOPT_CUSTOMREQUEST, content.method)
    }

    /// Sets the requested bytes. libcurl sends the field `Range` in every hop.
    func setRange(_ range: ByteRange?) {
        self.range = range
        curl_set_string(easy, CURLOPT_RANGE, range?.text)
    }

    func dropOwnLines() {
        curl_set_list(easy, CURLOPT_HTTPHEADER, nil)
        curl_slist_free_all(ownLines)
        ownLines = nil
    }
}
