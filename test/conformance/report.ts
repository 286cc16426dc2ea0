// Formats the report of the checks: as text for people, as JSON, and as JUnit XML for test viewers.
import type { Report, Result } from './run.ts'

export const listFailures = ({ results }: Report) => results.filter(({ outcome }) => outcome === 'failed')

export function formatText(report: Report): string {
  const { results, left, url } = report
  const count = (outcome: Result['outcome']) => results.filter((each) => each.outcome === outcome).length
  const lines = results.flatMap((result) => [
    `${OUTCOME_MARKS[result.outcome]} ${result.name}`,
    ...formatDetails(result),
  ])
  const sums = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
  return [...lines, ...left.map((what) => `left over: ${what}`), `${url}: ${sums}`, ''].join('\n')
}

const OUTCOME_MARKS = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }

function formatDetails({ outcome, rule, expected, got, sent = [] }: Result): string[] {
  if (outcome === 'passed') return []
  if (outcome === 'skipped') return [`       ${got}`]
  return [
    `       rule:     ${rule}`,
    ...sent.map((each) => `       sent:     ${each}`),
    `       expected: ${expected}`,
    `       got:      ${got}`,
  ]
}

export const formatJson = (report: Report) => `${JSON.stringify(report, undefined, 2)}\n`

export function formatJunit(report: Report): string {
  const { results } = report
  const cases = results.map((result) => {
    const attributes = `classname="conformance" name="${escapeXml(result.name)}" time="${result.durationMs / 1000}"`
    if (result.outcome === 'passed') return `<testcase ${attributes}/>`
    if (result.outcome === 'skipped') return `<testcase ${attributes}><skipped/></testcase>`
    const text = escapeXml(formatDetails(result).join('\n'))
    return `<testcase ${attributes}><failure message="${escapeXml(result.rule)}">${text}</failure></testcase>`
  })
  const skipped = results.filter(({ outcome }) => outcome === 'skipped').length
  const sums = `tests="${results.length}" failures="${listFailures(report).length}" skipped="${skipped}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="conformance" ${sums}>\n${cases.join('\n')}\n</testsuite>\n`
}

const XML_ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeXml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => XML_ESCAPES[character] ?? character)
