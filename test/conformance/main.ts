// npm run conformance -- --url … --token … [--read-token …] [--limited-token …] [--plan FILE] [--only NAME] [--json FILE] [--junit FILE]: whether a server keeps the
// interface. It ends with 1 where it does not, and with 2 where it could not be checked.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { failuresOf, formatJson, formatJunit, formatText } from './report.ts'
import { runConformance } from './run.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    token: { type: 'string' },
    'read-token': { type: 'string' },
    'limited-token': { type: 'string' },
    plan: { type: 'string' },
    json: { type: 'string' },
    junit: { type: 'string' },
    only: { type: 'string' },
  },
})

if (!values.url || !values.token) {
  console.error(
    'Usage: npm run conformance -- --url https://desk.example.com --token TOKEN [--read-token TOKEN] [--limited-token TOKEN] [--plan FILE] [--only NAME] [--json FILE] [--junit FILE]',
  )
  process.exit(2)
}

try {
  const target = {
    url: values.url,
    token: values.token,
    readToken: values['read-token'],
    limitedToken: values['limited-token'],
    plan: values.plan === undefined ? undefined : readFileSync(values.plan),
  }
  const report = await runConformance(target, values.only)
  if (values.json) writeFileSync(values.json, formatJson(report))
  if (values.junit) writeFileSync(values.junit, formatJunit(report))
  console.log(formatText(report))
  process.exitCode = failuresOf(report).length > 0 ? 1 : 0
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
