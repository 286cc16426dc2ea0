// Runs all checks against a server, one after the other.
import { additionChecks } from './checks/additions.ts'
import { inTheWayChecks } from './checks/additions-in-the-way.ts'
import { peopleChecks } from './checks/additions-people.ts'
import { placeWriteChecks } from './checks/additions-places.ts'
import { timeChecks } from './checks/additions-times.ts'
import { authenticationChecks } from './checks/authentication.ts'
import { bookableChecks } from './checks/bookables.ts'
import { bookingChecks } from './checks/bookings.ts'
import { eventChecks } from './checks/events.ts'
import { listingChecks } from './checks/listings.ts'
import { placeChecks } from './checks/places.ts'
import { userChecks } from './checks/users.ts'
import { type Check, findData, type TestData } from './data.ts'
import { DeviationError, type Exchange, Session, SkippedError, type Target } from './session.ts'

export type Result = {
  name: string
  rule: string
  outcome: 'passed' | 'failed' | 'skipped'
  expected?: string
  got?: string
  sent?: string[]
  durationMs: number
}
export type Report = { url: string; results: Result[]; left: string[] }

export const CHECKS: Check[] = [
  ...authenticationChecks,
  ...userChecks,
  ...placeChecks,
  ...listingChecks,
  ...bookableChecks,
  ...eventChecks,
  ...bookingChecks,
  ...additionChecks,
  ...timeChecks,
  ...placeWriteChecks,
  ...inTheWayChecks,
  ...peopleChecks,
]

/** Runs all checks, or those whose names begin with `only`. */
export async function runConformance(target: Target, only = ''): Promise<Report> {
  const session = new Session(target)
  const found = await findData(session)
  const results: Result[] = []
  const chosen = CHECKS.filter(({ name }) => name.startsWith(only))
  for (const check of chosen) results.push(await runCheck(check, session, found))
  return { url: session.target.url, results, left: await session.deleteCreated() }
}

async function runCheck({ name, rule, run }: Check, session: Session, found: TestData): Promise<Result> {
  const startedMs = Date.now()
  session.exchanges = []
  const result = (outcome: Result['outcome'], more: Partial<Result> = {}) => ({
    name,
    rule,
    outcome,
    ...more,
    durationMs: Date.now() - startedMs,
  })
  try {
    await run(session, found)
    return result('passed')
  } catch (error) {
    const sent = session.exchanges.map(describeExchange)
    if (error instanceof SkippedError) return result('skipped', { got: error.message })
    if (error instanceof DeviationError)
      return result('failed', { expected: error.expected, got: error.got, sent })
    return result('failed', { expected: 'an answer', got: String(error), sent })
  }
}

const describeExchange = ({ sent: { method, path, body }, status }: Exchange) =>
  `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`} -> ${status}`
