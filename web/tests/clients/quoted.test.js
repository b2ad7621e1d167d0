import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import vm from "node:vm";

import { attributionText } from "../../clients/attributionText.js";
import { inDart, inFormat, inKotlin, inMarkup, inPython, inScript, inShell, inSwift, inTemplate, oneLine } from "../../clients/quoted.js";

/** Text that each language could misread as its own syntax. */
const hostile = `it's "50 %" \\ \\(x) $x \${x} \`x\` #{x} <b> & </script> ]]> %@ ü`;

test("a text in a script's string is that text, and ends neither the string nor the script", () => {
  assert.equal(vm.runInNewContext(`"${inScript(hostile)}"`), hostile);
  assert.equal(vm.runInNewContext(`\`${inTemplate(hostile)}\``), hostile);
  assert.ok(!inScript(hostile).includes("</script") && !inTemplate(hostile).includes("</script"));
});

test("a text in a shell's string is that text", () => {
  assert.equal(execFileSync("sh", ["-c", `printf %s '${inShell(hostile)}'`], { encoding: "utf8" }), hostile);
});

test("what begins an expression in a string of another language is escaped", () => {
  assert.equal(inSwift('a\\(b) "c"'), 'a\\\\(b) \\"c\\"');
  assert.equal(inKotlin('$a "b" \\'), '\\$a \\"b\\" \\\\');
  assert.equal(inDart("$a 'b' \\"), "\\$a \\'b\\' \\\\");
  assert.equal(inPython('"a" \\n'), '\\"a\\" \\\\n');
  assert.equal(inFormat('100 %@ "x"'), '100 %%@ \\"x\\"');
  assert.equal(inMarkup(`<a href='x'>&"`), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
});

test("a name is one line, in the order that it is read in", () => {
  assert.equal(oneLine(" a\n// b\r\n\u2028c\u0000\u202Ed\u2066 "), "a // b c d");
});

test("of an attribution, text and links are left", () => {
  const { text, html } = attributionText(
    '&copy; <a target="_blank" href="https://osm.example/?a=1&amp;b=2">Open<b>Street</b>Map</a> &amp; <i onclick=alert(1)>others</i>, 1 < 2');
  assert.equal(text, "© OpenStreetMap & others, 1 < 2");
  assert.equal(
    html,
    '© <a href="https://osm.example/?a=1&amp;b=2">Open</a><a href="https://osm.example/?a=1&amp;b=2">Street</a>'
      + '<a href="https://osm.example/?a=1&amp;b=2">Map</a> &amp; others, 1 &lt; 2');
});

test("nothing in an attribution runs, in whatever disguise", () => {
  const sources = [
    "<script>alert(1)</script>A", "<SCRIPT src=x>alert(1)</SCRIPT >A", "<style>*{}</style>A", "<!-- <b> -->A", '<img src=x onerror="alert(1)">A',
    '<a href="javascript:alert(1)">A</a>', "<a href='data:text/html,x'>A</a>", '<a href=" &#106;avascript:alert(1)">A</a>', "<svg onload=alert(1)>A",
    '<img title="a>b" src=x onerror=alert(1)>A', "A<script>alert(1)",
  ];
  for (const source of sources) assert.deepEqual(attributionText(source), { text: "A", html: "A" }, source);
  assert.deepEqual(attributionText("&lt;script&gt;A"), { text: "<script>A", html: "&lt;script&gt;A" });
  assert.deepEqual(attributionText("<scr<b>ipt>"), { text: "ipt>", html: "ipt&gt;" });
  assert.deepEqual(attributionText('<a href="https://x/&quot;&gt;<b>">A</a>').html, '<a href="https://x/&quot;&gt;&lt;b&gt;">A</a>');
  assert.deepEqual(attributionText("&#xD800;&#0;&bogus;&#x1F600;").text, "&#xD800;&#0;&bogus;😀");
});
