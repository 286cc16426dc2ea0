// npm run test:fuzz: generated requests, spoiled files and connections that press, then every planted fault.
//   -- --requests 200000 --files 5000 --imports 1000 --seed 7    longer, or the same requests and files once more
//   -- --only requests | files | imports | connections | planted
//   -- --from 20000                               requests from this number on
//   -- --minutes 30                               requests for so long at most
//   -- --request 3828 --seed 7                    one request; what becomes of it is printed
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from '../chaos/table.ts'
import { killChildren } from '../support/processes.ts'
import { describeReport } from './describe.ts'
import { describeFinding } from './findings.ts'
import { PLANTED } from './planted.ts'
import { runFuzz } from './run.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    files: { type: 'string', default: '500' },
    imports: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    from: { type: 'string', default: '0' },
    minutes: { type: 'string' },
    request: { type: 'string' },
    only: { type: 'string' },
    planted: { type: 'string' },
  },
})
const seed = Number(values.seed)
const folder = join(tmpdir(), `berth-fuzz-${seed}`)
const only = values.request ? 'requests' : values.planted ? 'planted' : values.only
const does = (part: string) => only === undefined || only === part

async function runAll(): Promise<boolean> {
  const report = await runFuzz({
    seed,
    from: Number(values.request ?? values.from),
    requests: does('requests') ? (values.request ? 1 : Number(values.requests)) : 0,
    files: does('files') ? Number(values.files) : 0,
    imports: does('imports') ? Number(values.imports) : 0,
    connections: does('connections'),
    ...(values.minutes ? { minutes: Number(values.minutes) } : {}),
    onProgress: (what) => console.error(what),
    onFindings: (findings) => {
      for (const finding of findings) console.error(describeFinding(finding, folder))
    },
  })
  console.log(describeReport(report, folder))
  return report.findings.length === 0
}

async function plantAll(): Promise<boolean> {
  const rows: Array<[string, string]> = []
  let isGood = true
  for (const planted of PLANTED.filter(({ name }) => !values.planted || name === values.planted)) {
    const { requests, breaks } = planted
    const report = await runFuzz({
      seed,
      requests,
      files: 0,
      imports: 0,
      connections: false,
      patches: [planted],
    })
    const found = report.findings.filter(({ promise }) => promise === breaks)
    if (found.length === 0) isGood = false
    if (found.length === 0 || values.planted) console.log(describeReport(report, folder))
    rows.push([planted.name, found.length > 0 ? `${breaks} (${found.length})` : 'nothing'])
    console.error(rows.at(-1)?.join(' | '))
  }
  console.log(table(['planted fault', 'found'], rows))
  return isGood && rows.length > 0
}

console.log(`Seed ${seed}`)
try {
  const isGood = only === 'planted' || (await runAll())
  const isAllCaught = !does('planted') || values.request !== undefined || (await plantAll())
  if (!isGood || !isAllCaught) process.exitCode = 1
} finally {
  await killChildren()
}
