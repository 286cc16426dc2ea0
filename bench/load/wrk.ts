// Runs wrk, the load generator for reads. For a point read, wrk uses a tenth of the CPU of our own load generator,
// which leaves more of the machine to the programs that are measured.
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Loader } from './load.ts'
import type { LoadResult, LoadSettings } from './work.ts'

const RESULT_MARK = 'RESULT'

// The Lua script requests the paths in turn, and prints the result as JSON.
const LUA_SCRIPT = `
local requests, turn = {}, 0
function init(args)
  for path in io.lines(args[1]) do requests[#requests + 1] = wrk.format('GET', path) end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
function done(summary, latency)
  local errors = summary.errors
  print('${RESULT_MARK}' .. string.format(
    '{"answered": %d, "us": %d, "p50Us": %f, "p99Us": %f, "cpuSeconds": %f, ' ..
      '"failures": {"status 4xx or 5xx": %d, "connect": %d, "read": %d, "write": %d, "timeout": %d}}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), os.clock(),
    errors.status, errors.connect, errors.read, errors.write, errors.timeout))
end
`

type WrkResult = {
  answered: number
  us: number
  p50Us: number
  p99Us: number
  cpuSeconds: number
  failures: Record<string, number>
}

/** Returns undefined if wrk is not installed. */
export async function findWrk(): Promise<Loader | undefined> {
  if (spawnSync('wrk', ['--version']).error) {
    console.log(
      'wrk is missing, so the bench’s own load generator sends the reads. It uses as much CPU as a server and hides part of every ' +
        'difference. Install wrk for figures that count: apt-get install wrk\n',
    )
    return undefined
  }
  const folder = await mkdtemp(join(tmpdir(), 'berth-wrk-'))
  const [script, paths] = [join(folder, 'turns.lua'), join(folder, 'paths')]
  await writeFile(script, LUA_SCRIPT)
  return {
    async run(work) {
      await writeFile(paths, work.requests.map(({ path }) => `${path}\n`).join(''))
      const { stdout } = await promisify(execFile)('wrk', createWrkArguments(work, script, paths))
      return toLoadResult(JSON.parse(stdout.slice(stdout.indexOf(RESULT_MARK) + RESULT_MARK.length)))
    },
    stop: () => rm(folder, { recursive: true }),
  }
}

function createWrkArguments(
  { url, headers, connections, seconds }: LoadSettings,
  script: string,
  paths: string,
): string[] {
  return [
    '--threads=1',
    `--connections=${connections}`,
    `--duration=${Math.max(1, Math.round(seconds))}s`,
    '--timeout=30s',
    ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
    `--script=${script}`,
    url,
    paths,
  ]
}

function toLoadResult({ answered, us, p50Us, p99Us, cpuSeconds, failures }: WrkResult): LoadResult {
  return {
    sent: answered,
    answered,
    failures: Object.fromEntries(Object.entries(failures).filter(([, number]) => number > 0)),
    seconds: us / 1_000_000,
    p50Ms: p50Us / 1_000,
    p99Ms: p99Us / 1_000,
    loaderCpuUs: cpuSeconds * 1_000_000,
  }
}
