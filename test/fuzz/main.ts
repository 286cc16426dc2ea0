// npm run test:fuzz: generated requests, broken files and hostile connections, then every planted fault. See
// test/harness/command.ts for the common options; `--only` takes requests, races, files, imports, connections or planted.
//   -- --requests 200000 --files 5000 --imports 1000    a longer run
//   -- --races 5000                                     5,000 times several requests at the same moment
//   -- --from 20000                                     requests or races from this number on
//   -- --minutes 30                                     requests for at most this long
//   -- --request 3828 --seed 7                          one request, and its findings
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../harness/command.ts'
import { describeFinding } from '../harness/findings.ts'
import type { Tally } from '../harness/tally.ts'
import { saveRequest } from './findings.ts'
import { PLANTED_FAULTS } from './planted.ts'
import { describeReport } from './report.ts'
import { type Report, runFuzz } from './run.ts'

await runCommand({
  options: {
    requests: '20000',
    races: '2000',
    files: '500',
    imports: '100',
    from: '0',
    minutes: '',
    request: '',
  },
  implied: { request: 'requests' },
  planted: PLANTED_FAULTS,
  run: async ({ seed, only, request, from, minutes, ...counts }) => {
    const countOf = (part: 'requests' | 'races' | 'files' | 'imports') =>
      only === undefined || only === part ? Number(counts[part]) : 0
    const report = await runFuzz({
      seed,
      from: Number(request || from),
      requests: request ? 1 : countOf('requests'),
      races: countOf('races'),
      files: countOf('files'),
      imports: countOf('imports'),
      connections: only === undefined || only === 'connections',
      ...(minutes ? { minutes: Number(minutes) } : {}),
      onProgress: (what) => console.error(what),
      onFindings: (findings) => {
        for (const finding of findings)
          console.error(describeFinding(saveRequest(finding, getFindingsFolder(seed))))
      },
    })
    const tally = {
      requests: Number(report.figures.requests ?? 0) + Number(report.figures['requests of races'] ?? 0),
      files: countOf('files') + countOf('imports'),
    }
    return toCommandReport(report, seed, tally)
  },
  plant: async ({ requests = 0, races = 0, patches }, { seed, isControl }) => {
    const options = { seed, requests, races, files: 0, imports: 0, connections: false }
    return toCommandReport(await runFuzz({ ...options, patches: isControl ? [] : patches }), seed)
  },
})

function getFindingsFolder(seed: number): string {
  return join(tmpdir(), `berth-fuzz-${seed}`)
}

function toCommandReport(report: Report, seed: number, tally: Tally = {}) {
  return { findings: report.findings, text: describeReport(report, getFindingsFolder(seed)), tally }
}
