// The doctor's findings. Each finding has a subject, and a remedy if one is needed.
type Level = 'ok' | 'warning' | 'problem'
type Fault = { level: Level; says: string; todo: string }

export type Finding = { level: Level; about: string; says: string; todo?: string }

/** The result of a check: what the check found if there is no fault, a fault, or undefined if the check does
 * not apply. */
export type CheckResult = string | Fault | undefined
export type FactChecks<Facts> = Record<string, (facts: Facts) => CheckResult>

export const createWarning = (says: string, todo: string): Fault => ({ level: 'warning', says, todo })
export const createProblem = (says: string, todo: string): Fault => ({ level: 'problem', says, todo })

export function checkFacts<Facts>(checks: FactChecks<Facts>, facts: Facts): Finding[] {
  return Object.entries(checks).flatMap(([about, check]) => toFindings(about, check(facts)))
}

export function toFindings(about: string, verdict: CheckResult): Finding[] {
  if (verdict === undefined) return []
  return [typeof verdict === 'string' ? { level: 'ok', about, says: verdict } : { about, ...verdict }]
}

/** Runs checks in parallel. A check that throws becomes a finding, and the other checks continue. */
export async function runChecks(
  checks: Record<string, () => CheckResult | Promise<CheckResult>>,
): Promise<Finding[]> {
  const found = Object.entries(checks).map(async ([about, check]) => {
    try {
      return toFindings(about, await check())
    } catch (error) {
      const says = `could not be checked: ${getErrorReason(error)}`
      return toFindings(about, createWarning(says, 'Make sure that this role or user has access to it.'))
    }
  })
  return (await Promise.all(found)).flat()
}

export const getErrorReason = (error: unknown) => (error instanceof Error && error.message) || String(error)

export function formatFindings(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length))
  return findings
    .map(({ level, about, says, todo }) => {
      const line = `${level.padEnd(8)} ${about.padEnd(width)}  ${says}`
      return todo === undefined ? line : `${line}\n${' '.repeat(width + 9)}  -> ${todo}`
    })
    .join('\n')
}

const MEBIBYTE = 1024 ** 2

export function formatSize(bytes: number): string {
  const mebibytes = bytes / MEBIBYTE
  return mebibytes >= 1024 ? `${(mebibytes / 1024).toFixed(1)} GiB` : `${mebibytes.toFixed(0)} MiB`
}

const CLOCK_MS_MAX = 1_000

/**
 * Returns the minimum time by which this machine's clock is ahead of another one, excluding the duration of the
 * request.
 */
export async function measureClockAheadMs(
  ask: () => Promise<number>,
  now: () => number = Date.now,
): Promise<number> {
  const beforeMs = now()
  const thereMs = await ask()
  const afterMs = now()
  return thereMs < beforeMs ? beforeMs - thereMs : Math.min(0, afterMs - thereMs)
}

/** Compares two clocks. If they differ by more than a second, `fault` creates the finding. */
export function checkClockDifference(
  aheadMs: number,
  fault: (says: string, todo: string) => Fault,
): CheckResult {
  const differenceMs = Math.round(Math.abs(aheadMs))
  if (differenceMs === 0) return 'the same as this machine'
  const says = `${differenceMs} ms ${aheadMs < 0 ? 'before' : 'behind'} this machine`
  return differenceMs <= CLOCK_MS_MAX ? says : fault(says, 'Let all machines follow NTP.')
}
