// Checks the providers of room calendars: what the process `hooks` stored when it last listed the rooms and worked on the
// calendars, and whether each provider works from here, if this machine has its settings.
import type pg from 'pg'
import type { Message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import type { ProviderOptions } from '../../shared/room-calendars/providers/open-providers.ts'
import type { FaultKind } from '../../shared/room-calendars/providers/provider.ts'
import {
  CALENDAR_PROVIDERS,
  type CalendarProviderName,
  PROVIDER_LABELS,
} from '../../shared/room-calendars/room-calendars.ts'
import { IS_IN_STEP_SQL, IS_PROVIDER_SET_SQL } from '../../shared/room-calendars/room-calendars-shape.ts'
import type { Config } from '../../shared/settings/config.ts'
import { findRemedy } from './calendar-remedies.ts'
import { queryValue } from './connections.ts'
import { type CheckResult, createProblem, createWarning, type Finding, toFindings } from './findings.ts'
import { checkNotificationAddress } from './notification-address.ts'
import type { Trial, tryProvider } from './try-calendars.ts'

type ProviderFacts = {
  provider: CalendarProviderName
  isSet: boolean
  hasListed: boolean
  rooms: number
  faultKind: FaultKind | null
  fault: Message | null
  linked: number
  inStep: number
  /** The linked room whose calendar the doctor tries: one with a fault, if there is any. */
  room: string | null
  calendar: string | null
}

export async function checkCalendars(
  pool: pg.Pool,
  { calendars, publicUrl }: Pick<Config, 'calendars' | 'publicUrl'>,
  options: ProviderOptions = {},
): Promise<Finding[]> {
  // Skips the check if migrations are pending, which another finding reports.
  if (!(await queryValue<boolean>(pool, "SELECT to_regclass('room_calendars') IS NOT NULL"))) return []
  const { rows } = await pool.query<ProviderFacts>(
    `SELECT provider, coalesce(${IS_PROVIDER_SET_SQL}, false) AS "isSet", rooms_listed_at IS NOT NULL AS "hasListed",
       (SELECT count(*)::int FROM provider_rooms WHERE provider_rooms.provider = names.provider) AS rooms,
       fault_kind AS "faultKind", fault, linked.number AS linked, linked.in_step AS "inStep", first.room, first.calendar
     FROM unnest($1::text[]) AS names (provider) LEFT JOIN calendar_providers USING (provider), LATERAL (
       SELECT count(*)::int AS number, count(*) FILTER (WHERE ${IS_IN_STEP_SQL})::int AS in_step
       FROM room_calendars WHERE room_calendars.provider = names.provider AND NOT is_ending) AS linked
     LEFT JOIN LATERAL (
       SELECT bookables.name AS room, calendar FROM room_calendars JOIN bookables ON bookables.id = bookable_id
       WHERE room_calendars.provider = names.provider AND NOT is_ending
       ORDER BY room_calendars.fault_kind IS NULL, bookable_id LIMIT 1) AS first ON true`,
    [CALENDAR_PROVIDERS],
  )
  const found = rows
    .filter(({ provider, isSet, linked }) => isSet || linked > 0 || calendars?.[provider] !== undefined)
    .map((facts) => checkProvider(facts, { calendars, publicUrl }, options))
  return (await Promise.all(found)).flat()
}

async function checkProvider(
  facts: ProviderFacts,
  { calendars, publicUrl }: Pick<Config, 'calendars' | 'publicUrl'>,
  options: ProviderOptions,
): Promise<Finding[]> {
  const { provider, room, calendar } = facts
  const linked = room !== null && calendar !== null ? { room, calendar } : undefined
  const [trial, address] = await Promise.all([
    calendars?.[provider] && tryCalendars(calendars, provider, linked, options),
    checkNotificationAddress(provider, publicUrl, options.lookup),
  ])
  const results = [checkStoredState(facts, trial), trial?.access, trial?.clock, address]
  return results.flatMap((result) => toFindings(provider, result))
}

// Imports the code of the providers only if one has settings here.
async function tryCalendars(...[settings, ...rest]: Parameters<typeof tryProvider>): Promise<Trial> {
  const { tryProvider } = await import('./try-calendars.ts')
  return tryProvider(settings, ...rest)
}

/** Reports what the process `hooks` has stored. Leaves out its fault if the doctor has found a fault itself. */
function checkStoredState(facts: ProviderFacts, trial: Trial | undefined): CheckResult {
  const { provider, isSet, hasListed, rooms, faultKind, fault, linked, inStep } = facts
  const label = PROVIDER_LABELS[provider]
  if (!isSet)
    return createProblem(
      `no running process reads and writes the calendars of ${label}; linked rooms: ${linked}`,
      'Start the line “hooks” of the Procfile with the CALENDARS_… settings.',
    )
  if (trial && !trial.isWorking) return undefined
  if (faultKind !== null) {
    const says = fault === null ? faultKind : writeEnglish(fault)
    if (trial)
      return createProblem(
        `the process hooks could not list the rooms: ${says}`,
        'It works from this machine. Give hooks the same settings, and restart it; then press “List the rooms again” in Settings → Calendars.',
      )
    return createProblem(says, findRemedy(provider, { kind: faultKind, message: says }, 'rooms'))
  }
  if (!hasListed)
    return createWarning(`${label} has not been asked for its rooms yet`, 'Try again in a minute.')
  const notTried = trial ? '' : ' (not tried from here, because the CALENDARS_… settings are not set here)'
  const says = `rooms of ${label}: ${rooms} listed, ${linked} linked, ${inStep} in step${notTried}`
  return inStep === linked
    ? says
    : createWarning(says, 'Settings → Calendars, “Linked, but not in step”: the page of each room says why.')
}
