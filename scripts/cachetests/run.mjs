// Runs the suite at argv[2] against the base URL argv[3] and prints a JSON list of its tests with their results.
// Without a base URL it lists the tests and runs none.
const [suite, base] = process.argv.slice(2)
const { default: groups } = await import(`${suite}/tests/index.mjs`)
const { runTests, getResults } = await import(`${suite}/test-engine/client/runner.mjs`)

if (base) {
  console.error = () => {} // what each test met comes with its result
  await runTests(groups, false, base)
}
const results = getResults()
const tests = groups.flatMap(group => group.tests.map(test => ({
  id: test.id,
  group: group.id,
  name: test.name,
  kind: test.kind ?? 'required',
  browser: test.browser_only === true,
  depends: test.depends_on ?? [],
  result: results[test.id] ?? null
})))
console.log(JSON.stringify(tests))
