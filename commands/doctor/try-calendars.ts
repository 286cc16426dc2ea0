// Tries a provider of room calendars from this machine, as the process `hooks` uses it: asks for a token, lists the rooms, reads
// a linked calendar, and compares the clocks. Changes nothing.
import { setTimeout as wait } from 'node:timers/promises'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import { describeFault } from '../../shared/room-calendars/providers/faults.ts'
import { OpenProviders, type ProviderOptions } from '../../shared/room-calendars/providers/open-providers.ts'
import { type CalendarProvider, ProviderFault } from '../../shared/room-calendars/providers/provider.ts'
import { type CalendarProviderName, PROVIDER_LABELS } from '../../shared/room-calendars/room-calendars.ts'
import type { CalendarSettings } from '../../shared/settings/calendars.ts'
import { findRemedy, type TriedStep } from './calendar-remedies.ts'
import { type CheckResult, createProblem, createWarning, getErrorReason } from './findings.ts'

const REQUEST_MS_MAX = 10_000
const TRY_MS_MAX = 25_000
const DAY_MS = 24 * 3_600_000
// An answer gives its time in whole seconds, and takes some time to arrive.
const CLOCK_MS_MAX = 5_000
// From about this difference on, providers refuse the tokens that Berth signs.
const CLOCK_REFUSED_MS = 60_000

/** The room whose calendar is read. */
export type TriedRoom = { room: string; calendar: string }
export type Trial = { access: CheckResult; clock: CheckResult; isWorking: boolean }

export async function tryProvider(
  settings: CalendarSettings,
  name: CalendarProviderName,
  linked: TriedRoom | undefined,
  options: ProviderOptions = {},
): Promise<Trial> {
  let aheadMs: number | undefined
  const providers = new OpenProviders(settings, {
    limits: { timeoutMs: REQUEST_MS_MAX },
    ...options,
    observe(provider, { date }) {
      if (provider === name && date !== undefined) aheadMs = measureAheadMs(date)
    },
  })
  const ended = new AbortController()
  try {
    const provider = providers.get(name)
    const access = provider
      ? await Promise.race([
          tryAccess(provider, linked),
          wait(TRY_MS_MAX, createSlowProblem(name), { signal: ended.signal }),
        ])
      : undefined
    return { access, clock: checkClock(name, aheadMs), isWorking: typeof access === 'string' }
  } finally {
    ended.abort()
    providers.close()
  }
}

const createSlowProblem = (name: CalendarProviderName) => {
  const seconds = TRY_MS_MAX / 1_000
  const fault = { kind: 'unavailable', message: '' } as const
  return createProblem(
    `${PROVIDER_LABELS[name]} took more than ${seconds} s to list the rooms and read a calendar`,
    findRemedy(name, fault, 'rooms'),
  )
}

async function tryAccess(provider: CalendarProvider, linked: TriedRoom | undefined): Promise<CheckResult> {
  const { name } = provider
  const label = PROVIDER_LABELS[name]
  let step: TriedStep = 'rooms'
  try {
    const { rooms } = await provider.listRooms(null)
    if (!linked)
      return `${label} accepts the credentials and lists ${rooms.length === 0 ? 'no rooms' : 'rooms'}; no room is linked, so no calendar was read`
    step = 'calendar'
    const nowMs = Date.now()
    const period = { from: new Date(nowMs).toISOString(), to: new Date(nowMs + DAY_MS).toISOString() }
    const calendar = { id: linked.calendar, zone: 'UTC' }
    await provider.listChanges(calendar, null, period)
    if ((await provider.mayWrite?.(calendar)) === false)
      return createProblem(
        `${label} lets Berth read the calendar of ${linked.room} (${linked.calendar}), but not write to it`,
        findRemedy(name, { kind: 'forbidden', message: '' }, step),
      )
    return `${label} accepts the credentials, lists rooms, and lets Berth read the calendar of ${linked.room}`
  } catch (error) {
    const where = step === 'calendar' && linked ? `the calendar of ${linked.room} (${linked.calendar}): ` : ''
    if (error instanceof ProviderFault)
      return createProblem(
        `${where}${writeEnglish(describeFault(name, error))}`,
        findRemedy(name, error, step),
      )
    // For example, the private key cannot be read.
    const fault = { kind: 'credentials_refused', message: getErrorReason(error) } as const
    return createProblem(
      `${where}${label} could not be asked: ${fault.message}`,
      findRemedy(name, fault, step),
    )
  }
}

/** Returns the least time by which this machine is ahead of the provider. Negative if it is behind. */
function measureAheadMs(date: string): number | undefined {
  const thereMs = Date.parse(date)
  if (Number.isNaN(thereMs)) return undefined
  const differenceMs = Date.now() - thereMs
  return differenceMs > 0 ? Math.max(0, differenceMs - 1_000) : differenceMs
}

function checkClock(name: CalendarProviderName, aheadMs: number | undefined): CheckResult {
  if (aheadMs === undefined || Math.abs(aheadMs) <= CLOCK_MS_MAX) return undefined
  const createResult = Math.abs(aheadMs) > CLOCK_REFUSED_MS ? createProblem : createWarning
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  return createResult(
    `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of ${PROVIDER_LABELS[name]}`,
    'Let all machines follow NTP: providers refuse tokens with a wrong time.',
  )
}
