// One round of work on a leased calendar: read, apply, write, and keep the notifications.
import { isDatabaseUnavailable } from '../../../shared/database/faults.ts'
import { describeFault, getFaultKind, getRetryMs } from '../../../shared/room-calendars/providers/faults.ts'
import { type CalendarProvider, isFault } from '../../../shared/room-calendars/providers/provider.ts'
import type { FaultLog } from '../../../shared/utilities/fault-log.ts'
import { type CalendarLink, type CalendarTools, LeaseLost } from '../calendar-link.ts'
import { isZoneNew, readCalendar } from '../reading/reading.ts'
import { endFormerWatches, endWatch, keepWatch } from '../writing/watches.ts'
import { writeCalendar } from '../writing/write-calendar.ts'
import { clearCalendar, deleteCalendar, failRound, finishRound, leaveRound } from './leases.ts'
import type { Pauses } from './pauses.ts'
import { type ApplyJobs, queuePendingEntries } from './queue-entries.ts'

// Writing may make entries pending again, such as refused ones whose time has become free. Entries that are pending after this
// many passes wait for the next round.
const PASSES_MAX = 3
// When to compare again, if entries were still pending at the comparison.
const COMPARE_AGAIN_MS = 15_000
// Notifications end by themselves within days, so a provider that is away does not keep a calendar from being unlinked.
const END_FAILURES_MAX = 5

export type RoundTools = {
  tools: CalendarTools
  jobs: ApplyJobs
  queueFaults: FaultLog
  pauses: Pauses
}

/** Works on a calendar, and releases it. Never throws. */
export async function runRound(round: RoundTools, link: CalendarLink, failures: number): Promise<void> {
  const { tools } = round
  const { database, log } = tools
  try {
    if (link.isEnding) return await endCalendar(tools, link, failures)
    if (link.isClearing) await clearCalendar(database, link)
    const provider = tools.getProvider(link.provider)
    const result = provider && (await takeSteps(round, link, provider, failures))
    if (result === undefined) await leaveRound(database, link)
    else await finishRound(database, link, result.moreAt)
  } catch (error) {
    await handleFault(round, link, failures, error).catch((err) =>
      log.debug({ err, bookable: link.bookableId }, 'a calendar could not be released'),
    )
  }
}

/** Returns undefined if the round must end before all its steps are done. */
async function takeSteps(
  round: RoundTools,
  link: CalendarLink,
  provider: CalendarProvider,
  failures: number,
): Promise<{ moreAt?: number } | undefined> {
  const { tools, pauses } = round
  if (link.isReadDue || isZoneNew(link)) {
    await readCalendar(tools, link, provider, failures)
    pauses.noteReading(link)
  }
  if (link.mustEnd()) return undefined
  const result = await applyAndWrite(round, link)
  if (link.mustEnd()) return undefined
  if (link.isWatchDue) await tryWatch(tools, link)
  await endFormerWatches(tools, link)
  return result
}

async function applyAndWrite(
  { tools, jobs, queueFaults }: RoundTools,
  link: CalendarLink,
): Promise<{ moreAt?: number }> {
  let result: { moreAt?: number } = {}
  let isWriteDue = link.isWriteDue
  for (let passes = 0; passes < PASSES_MAX; passes++) {
    const queued = await queuePendingEntries(tools.database, link, jobs)
    if (queued.state === 'away') queueFaults.fault(queued.error, 'changes of calendars cannot be queued')
    else if (queued.applied > 0) queueFaults.over()
    if (link.mustEnd()) break
    // Before a reading is complete, Berth does not know which entries the calendar already has.
    if (!link.isComplete) return isWriteDue ? { moreAt: tools.now() } : {}
    if (!isWriteDue && queued.applied === 0) break
    const { moreAt } = await writeCalendar(tools, link)
    // Refusals are sent only once their calendar has no pending entries, so the calendar is compared again soon.
    const isAwaited = queued.state === 'pending' || queued.state === 'away'
    result = { moreAt: isAwaited ? Math.min(moreAt, tools.now() + COMPARE_AGAIN_MS) : moreAt }
    isWriteDue = false
  }
  return result
}

// Without notifications, Berth reads the calendar at intervals, so a fault here does not end the round.
async function tryWatch(tools: CalendarTools, link: CalendarLink): Promise<void> {
  try {
    await keepWatch(tools, link)
  } catch (error) {
    if (isFault(error, 'throttled', 'credentials_refused') || isDatabaseUnavailable(error)) throw error
    tools.log.warn({ err: error, bookable: link.bookableId }, 'could not get notifications about a calendar')
  }
}

async function endCalendar(tools: CalendarTools, link: CalendarLink, failures: number): Promise<void> {
  try {
    if (tools.getProvider(link.provider)) await endWatch(tools, link)
  } catch (error) {
    if (!isFault(error, 'not_found', 'gone') && failures < END_FAILURES_MAX) throw error
  }
  await deleteCalendar(tools.database, link)
}

async function handleFault(
  { tools, pauses }: RoundTools,
  link: CalendarLink,
  failures: number,
  error: unknown,
): Promise<void> {
  const { database, log } = tools
  const { bookableId, provider } = link
  // Releases the lease at once: if somebody has unlinked the calendar during the round, the next round ends it.
  if (error instanceof LeaseLost || isDatabaseUnavailable(error)) return leaveRound(database, link)
  const retryMs = getRetryMs(error, failures + 1)
  pauses.noteFault(link, error)
  log[failures === 0 ? 'warn' : 'debug'](
    { err: error, bookable: bookableId, provider, failures: failures + 1 },
    'a calendar could not be kept in step',
  )
  await failRound(database, link, {
    kind: getFaultKind(error),
    fault: describeFault(provider, error),
    retryMs,
  })
}
