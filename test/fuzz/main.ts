// npm run test:fuzz: generated requests, broken files and hostile connections, then every planted fault. See
// test/harness/command.ts for the common options; `--only` takes requests, files, imports, connections or planted.
//   -- --requests 200000 --files 5000 --imports 1000    a longer run
//   -- --from 20000                                     requests from this number on
//   -- --minutes 30                                     requests for at most this long
//   -- --request 3828 --seed 7                          one request, and what it leads to
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../harness/command.ts'
import { describeFinding } from '../harness/findings.ts'
import { keepRequest } from './findings.ts'
import { PLANTED } from './planted.ts'
import { describeReport } from './report.ts'
import { type Report, runFuzz } from './run.ts'

await runCommand({
  options: { requests: '20000', files: '500', imports: '100', from: '0', minutes: '', request: '' },
  implied: { request: 'requests' },
  planted: PLANTED,
  run: async ({ seed, only, request, from, minutes, ...counts }) => {
    const countOf = (part: 'requests' | 'files' | 'imports') =>
      only === undefined || only === part ? Number(counts[part]) : 0
    const report = await runFuzz({
      seed,
      from: Number(request || from),
      requests: request ? 1 : countOf('requests'),
      files: countOf('files'),
      imports: countOf('imports'),
      connections: only === undefined || only === 'connections',
      ...(minutes ? { minutes: Number(minutes) } : {}),
      onProgress: (what) => console.error(what),
      onFindings: (findings) => {
        for (const finding of findings) console.error(describeFinding(keepRequest(finding, folderOf(seed))))
      },
    })
    return reported(report, seed)
  },
  plant: async ({ requests, patches }, { seed, isControl }) => {
    const options = { seed, requests, files: 0, imports: 0, connections: false }
    return reported(await runFuzz({ ...options, patches: isControl ? [] : patches }), seed)
  },
})

function folderOf(seed: number): string {
  return join(tmpdir(), `berth-fuzz-${seed}`)
}

function reported(report: Report, seed: number) {
  return { findings: report.findings, text: describeReport(report, folderOf(seed)) }
}
