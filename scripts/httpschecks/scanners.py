"""Programs that scan a TLS server for weaknesses."""
import collections
import json
import re
import subprocess
import sys

from support.machine import ROOT, need

from .verdict import Found, expect

# Findings of testssl.sh that come from the certificate of this script: nobody trusts it, nobody can revoke it, and it
# lives for two days.
OF_THE_CERTIFICATE = re.compile(
    r"cert_(chain_of_trust|trust|revocation|notAfter|expirationStatus|crlDistributionPoints|ocspURL|extlifeSpan)"
    r"|OCSP_stapling|DNS_CAArecord")
# Other findings that are no weakness of this server, each with the reason.
ACCEPTED = {
    "engine_problem": "testssl.sh has no engine for GOST",
    "cipher_order": "the client chooses, as in Mozilla's intermediate profile: every cipher is strong",
    "sessionresumption_ticket": "openssl s_client sometimes leaves before the ticket arrives; the check openssl waits",
    "BREACH": "compressed pages contain no secret of a user: the server has no cookies",
}


def testssl(place):
    """testssl.sh of Debian: protocols, ciphers, forward secrecy, the certificate and all vulnerabilities it knows."""
    need(testssl="testssl.sh")
    report = place.reports / f"testssl-{place.port}.json"
    report.unlink(missing_ok=True)
    # dig asks for records of localhost, which the machine's own file has.
    done = subprocess.run(
        ["testssl", "--quiet", "--color", "0", "--warnings", "off", "--nodns", "min", "--ip", "127.0.0.1", "--jsonfile",
         report, "-p", "-s", "-f", "-P", "-S", "-U", f"localhost:{place.port}"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
    expect(report.exists(), f"testssl.sh wrote no report: {done.stdout[-300:]}{done.stderr[-300:]}")
    rows = json.loads(report.read_text())
    found = [row for row in rows if row["severity"] not in ("OK", "INFO", "DEBUG")]
    accepted = sorted({row["id"] for row in found} & set(ACCEPTED))
    bad = [row for row in found
           if row["id"] not in ACCEPTED and not OF_THE_CERTIFICATE.fullmatch(row["id"].split(" ")[0])]
    count = collections.Counter(row["severity"] for row in rows)
    expect(count["OK"] >= 20, f"testssl.sh has checked only {dict(count)}")
    if bad:
        raise Found("; ".join(f"{row['severity']} {row['id']}: {row['finding']}" for row in bad))
    return f"{count['OK']} ok, {count['INFO']} notes; accepted: {', '.join(accepted) or 'nothing'}"


def sslyze(place):
    """sslyze of PyPI: the server against Mozilla's intermediate profile, and sslyze's own list of vulnerabilities."""
    program = installed()
    report = place.reports / f"sslyze-{place.port}.json"
    done = subprocess.run(
        [program, "--mozilla_config=intermediate", "--json_out", report, "--heartbleed", "--openssl_ccs", "--robot",
         "--reneg", "--compression", "--fallback", "--early_data", "--resum", f"localhost:{place.port}"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
    text = done.stdout.partition("COMPLIANCE AGAINST TLS CONFIGURATION")[2]
    expect("localhost" in text, f"sslyze gave no verdict: {done.stdout[-300:]}{done.stderr[-300:]}")
    # Each finding is a line with a bullet. The profile wants a certificate that browsers trust.
    findings = [line.strip(" *") for line in text.splitlines() if line.strip().startswith("* ")]
    bad = [line for line in findings if not re.search(r"certificate_path|trust|lifespan", line)]
    if bad:
        raise Found("; ".join(bad))
    return f"Mozilla's intermediate profile holds, {len(findings)} findings about trust; {ciphers(report)}"


def installed():
    """Returns the path of sslyze. Installs it in var/sslyze if it is not there."""
    place = ROOT / "var/sslyze"
    if not (place / "bin/sslyze").exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        subprocess.run(
            [place / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "sslyze"], check=True,
            stdin=subprocess.DEVNULL)
    return place / "bin/sslyze"


def ciphers(report):
    """Checks the vulnerabilities in sslyze's report, and returns the accepted ciphers of each protocol in words."""
    result = json.loads(report.read_text())["server_scan_results"][0]["scan_result"]
    facts = {
        "Heartbleed": result["heartbleed"]["result"]["is_vulnerable_to_heartbleed"],
        "CCS injection": result["openssl_ccs_injection"]["result"]["is_vulnerable_to_ccs_injection"],
        "ROBOT": result["robot"]["result"]["robot_result"].startswith("VULNERABLE"),
        "renegotiation by the client":
            result["session_renegotiation"]["result"]["is_vulnerable_to_client_renegotiation_dos"],
        "no secure renegotiation":
            not result["session_renegotiation"]["result"]["supports_secure_renegotiation"],
        "compression": result["tls_compression"]["result"]["supports_compression"],
        "no fallback signal": not result["tls_fallback_scsv"]["result"]["supports_fallback_scsv"],
        "early data": result["tls_1_3_early_data"]["result"]["supports_early_data"],
    }
    found = [name for name, is_so in facts.items() if is_so]
    if found:
        raise Found(f"sslyze finds {', '.join(found)}")
    counts = {}
    for name in ("ssl_2_0", "ssl_3_0", "tls_1_0", "tls_1_1", "tls_1_2", "tls_1_3"):
        counts[name] = len(result[f"{name}_cipher_suites"]["result"]["accepted_cipher_suites"])
    expect(not any(counts[name] for name in ("ssl_2_0", "ssl_3_0", "tls_1_0", "tls_1_1")), f"old protocols: {counts}")
    return f"{counts['tls_1_2']} ciphers of TLS 1.2, {counts['tls_1_3']} of TLS 1.3, none of {len(facts)} weaknesses"


CHECKS = [testssl, sslyze]
