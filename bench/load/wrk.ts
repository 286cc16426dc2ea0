// Runs a load with wrk, if that is installed and requested.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectDirectory } from '../../local/tools/folders.ts'
import type { Loaded, Work } from './work.ts'

const SCRIPT = join(projectDirectory, 'bench/load/report.lua')
// The limit of a command line.
const PATHS_MAX = 500

type Report = {
  answered: number
  us: number
  p50Us: number
  p99Us: number
  failures: Record<string, number>
}

export async function runWrk({ url, token, connections, seconds, paths }: Work): Promise<Loaded> {
  const { stdout } = await promisify(execFile)('wrk', [
    '--threads=1',
    `--connections=${connections}`,
    `--duration=${Math.max(1, Math.round(seconds))}`,
    '--timeout=30',
    `--script=${SCRIPT}`,
    `--header=Authorization: Bearer ${token}`,
    url,
    '--',
    ...paths.slice(0, PATHS_MAX),
  ])
  const { answered, us, p50Us, p99Us, failures }: Report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  return {
    sent: answered,
    answered,
    failures: Object.fromEntries(Object.entries(failures).filter(([, number]) => number > 0)),
    seconds: us / 1_000_000,
    p50Ms: p50Us / 1_000,
    p99Ms: p99Us / 1_000,
  }
}
