// Says which kind of process is short of processor time, and whether another one would help on the same machine.
import type { BusyProcess } from '../../shared/identity/heartbeat.ts'
import { type CheckResult, createWarning } from './findings.ts'

// Above this share of a core, a process is short of processor time, because Node runs JavaScript on one core only.
const BUSY_CORES_MAX = 0.8
// Above this share of its cores, a machine gets slower with another process (docs/scaling.md).
const MACHINE_BUSY_MAX = 0.8

/** Returns the name of the process in the Procfile. */
function findName({ queues }: BusyProcess): string {
  if (queues.length === 0) return 'web'
  return queues.some((queue) => queue === 'imports' || queue === 'exports') && !queues.includes('writes')
    ? 'files'
    : 'worker'
}

const formatCores = (busyCores: number) => `${Math.round(100 * busyCores)} %`
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

/** Returns a check for each kind of process. */
export function checkLoads(processes: BusyProcess[]): Record<string, () => CheckResult> {
  const names = [...new Set(processes.map(findName))].sort()
  return Object.fromEntries(names.map((name) => [`load of ${name}`, () => checkLoad(processes, name)]))
}

function checkLoad(processes: BusyProcess[], name: string): CheckResult {
  const own = processes.filter((each) => findName(each) === name)
  const says = `${own.map(({ load }) => formatCores(load.busyCores)).join(', ')} of a core`
  if (sum(own.map(({ load }) => load.busyCores)) / own.length <= BUSY_CORES_MAX) return says
  const full = own.every(({ host, load }) => {
    const there = processes.filter((each) => each.host === host)
    return sum(there.map((each) => each.load.busyCores)) > MACHINE_BUSY_MAX * load.cores
  })
  return createWarning(
    says,
    full
      ? `Start another “${name}” on a machine with idle cores.`
      : `Start another “${name}” if its machine has idle cores.`,
  )
}
