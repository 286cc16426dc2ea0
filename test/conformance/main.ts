// npm run conformance -- --url … --token … [--read-token …] [--limited-token …] [--plan FILE] [--only NAME] [--json
// FILE] [--junit FILE]: checks whether a server follows the interface. Exits with 1 if the server breaks a rule, and
// with 2 if the kit itself failed.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { formatJson, formatJunit, formatText, listFailures } from './report.ts'
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
  process.exitCode = listFailures(report).length > 0 ? 1 : 0
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
