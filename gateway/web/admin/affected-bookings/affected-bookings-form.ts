// Asks what should happen to affected bookings before something is blocked, assigned, deleted or closed. The first
// form has no choice; if the workers find affected bookings, it comes back with one.
import type pg from 'pg'
import {
  affectedClaims,
  isClosedWith,
  type Times,
  timesText,
} from '../../../../shared/affected-bookings/affected-bookings-shape.ts'
import { onlyRow } from '../../../../shared/database/database.ts'
import {
  type AffectedBookingsInput,
  overridingOf,
  type Resolution,
  resolution,
} from '../../../../shared/rules/affected-bookings-input.ts'
import type { RulePlace } from '../../../../shared/rules/rules-shape.ts'
import { queryFlag } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { JOIN_PLACES, number, orNull, selectRow, selectRows, text } from '../../../reads/rows/rows.ts'
import { plural, type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Notice } from '../../pages/page/notices.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { showInstant } from '../../pages/time/instants.ts'
import type { Fields, Option } from '../../pages/ui/fields.ts'
import { type Column, formatNumber, showLinkOrText, table } from '../../pages/ui/parts.ts'
import { noticeOf } from './affected-people.ts'

const SHOWN_MAX = 20

export const overridingField = { overrides_rules: queryFlag() }
export const formFields = { in_the_way: resolution(), ...overridingField }

type Chosen = {
  in_the_way?: Resolution | undefined
  overrides_rules?: boolean | undefined
  /** A form may have other fields. */
  [name: string]: unknown
}
export type ChoosingCall = ActionCall<unknown, unknown, Chosen>

/** The form's choice; without one, the workers refuse a write that affects bookings. */
export function resolutionInput(call: ChoosingCall): AffectedBookingsInput & { in_the_way: Resolution } {
  const { in_the_way: chosen = 'ask', overrides_rules } = call.form
  const in_the_way = overrides_rules ? overridingOf(chosen) : chosen
  return { in_the_way, release_id: releaseIdOf(call) }
}

// If the same form is sent again, the ID is the same.
function releaseIdOf(call: ChoosingCall): string {
  const hex = call.deriveSecret('release').toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

/** Redirects to the progress page if many bookings are released. `more` is the path of that page. */
export async function redirectAfterResolving(
  call: ChoosingCall,
  redirectTo: string,
  notice: string,
  more?: Notice['more'],
) {
  const { in_the_way } = call.form
  const id = releaseIdOf(call)
  const isAccepted =
    in_the_way === 'release' && (await call.services.dispatcher.queueAccepted('bookings.release-all', id))
  if (isAccepted) return { redirectTo: call.link(`/people/releases/${id}`), notice }
  const isResolved = in_the_way !== undefined && DONE[in_the_way] !== undefined
  const words = notice + describeResolution(in_the_way)
  return { redirectTo, more, ...(isResolved ? await noticeOf(call, words) : { notice: words }) }
}

const leaveOption = (): Option => ({
  value: 'leave',
  label: t`Keep them`,
  hint: t`These bookings stay as they are.`,
})
const otherOptions = (): Option[] => [
  {
    value: 'move',
    label: t`Move them`,
    hint: t`Each booking moves to the nearest free place of the same type in this building. If one of them cannot be moved, or a rule forbids it, nothing is changed.`,
  },
  { value: 'move-or-release', label: t`Move them, and release those that cannot be moved` },
  {
    value: 'release',
    label: t`Release them`,
    hint: t`Current bookings end now, and the others are deleted. Meetings lose these rooms.`,
  },
]

const DONE: Partial<Record<Resolution, Sentence>> = {
  move: sentence`Conflicting bookings were moved.`,
  'move-or-release': sentence`Conflicting bookings were moved or released.`,
  release: sentence`Conflicting bookings were released.`,
}

function describeResolution(chosen: Resolution | undefined): string {
  const done = chosen && DONE[chosen]
  return done === undefined ? '' : ` ${translate(done)}`
}

export function needsResolution({ refusedForm }: Call, action: string): boolean {
  return refusedForm?.action === action && refusedForm.code === 'in_use'
}

/** Undefined if no bookings are affected. `after`: only once the form of this action was refused because of them. */
export async function showOptions(
  call: Call,
  searches: AffectedSearch | AffectedSearch[],
  { canLeave = false, after }: { canLeave?: boolean; after?: string } = {},
): Promise<((fields: Fields) => Content) | undefined> {
  const { now } = call
  if (after !== undefined && !needsResolution(call, after)) return undefined
  const { primary } = call.services
  const found = await Promise.all(
    [searches].flat().map(async (search) => ({
      number: await countAffectedClaims(primary, search, now),
      claims: await listAffectedClaims(primary, search, { now, limit: SHOWN_MAX }),
    })),
  )
  const number = found.reduce((sum, each) => sum + each.number, 0)
  const claims = found.flatMap((each) => each.claims).slice(0, SHOWN_MAX)
  if (number === 0) return undefined
  return (fields) => html`<h3>${plural(number, '# conflicting booking', '# conflicting bookings')}</h3>
${showClaims(call, claims)}
${number > claims.length && html`<p class="soft">${t`And ${formatNumber(number - claims.length)} more.`}</p>`}
${fields.radios('in_the_way', t`What should happen to these bookings?`, { required: true, options: canLeave ? [leaveOption(), ...otherOptions()] : otherOptions() })}
${showOverriding(fields, true)}`
}

function showClaims(call: Call, claims: AffectedClaim[]): Html {
  const columns: Column<AffectedClaim>[] = [
    {
      label: t`Who`,
      show: ({ id, eventId, who }) =>
        showLinkOrText(call.link(eventId === null ? `/bookings/${id}` : `/events/${eventId}`), who),
    },
    { label: t`What`, show: ({ bookable }) => bookable },
    { label: t`From`, show: ({ from, zone }) => showInstant(from, zone) },
    { label: t`Until`, show: ({ to, zone }) => (to === null ? t`no end` : showInstant(to, zone)) },
  ]
  return table(t`Conflicting bookings`, columns, claims, '')
}

export async function haveRules(reads: pg.Pool, bookableIds: number[]): Promise<boolean> {
  const found = `bookables ${JOIN_PLACES} WHERE bookables.id = ANY($1)
    AND (bookables.rules IS NOT NULL OR locations.rules IS NOT NULL OR buildings.rules IS NOT NULL) LIMIT 1`
  return (await selectRow(reads, { id: number('bookables.id') }, found, [bookableIds])) !== undefined
}

export function showOverriding(fields: Fields, hasRules: boolean): Content {
  if (!hasRules) return null
  return fields.checkbox('overrides_rules', t`Override the rules of this place`, {
    hint: t`Saves even if a rule is broken. The audit log records which rule.`,
  })
}

/** Which bookables become unavailable, when (by default from now on), and the users whose claims do not matter. */
export type AffectedSearch = { ids: number[]; times?: Times; keptUsers?: number[] }

const CLAIM = {
  ...rows.CLAIMED,
  id: number('bookings.id'),
  eventId: orNull(number('bookings.event_id')),
  who: text("coalesce(users.name, events.name || ' (' || organizers.name || ')')"),
  bookable: text('bookables.name'),
  zone: rows.PLACE.zone,
}
export type AffectedClaim = rows.RowOf<typeof CLAIM>

export async function countAffectedClaims(reads: pg.Pool, search: AffectedSearch, now: string) {
  const counted = { number: number('count(*)::int') }
  return onlyRow(await selectRows(reads, counted, `(${AFFECTED_CLAIMS}) AS claims`, valuesOf(search, now)))
    .number
}

export const listAffectedClaims = (
  reads: pg.Pool,
  search: AffectedSearch,
  { now, limit }: { now: string; limit: number },
) =>
  selectRows(
    reads,
    CLAIM,
    `bookings ${rows.JOIN_BOOKABLES}
     LEFT JOIN users ON users.id = bookings.user_id
     LEFT JOIN events ON events.id = bookings.event_id
     LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
     WHERE bookings.id IN (${AFFECTED_CLAIMS})
     ORDER BY lower(bookings.during), bookings.id LIMIT $4`,
    [...valuesOf(search, now), limit],
  )

const AFFECTED_CLAIMS = affectedClaims({ ids: '$1', times: '$2', exemptUserIds: '$3' })

const valuesOf = ({ ids, times, keptUsers = [] }: AffectedSearch, now: string) => [
  ids,
  timesText(times ?? [{ from: now, to: null }], now),
  keptUsers,
]

/** The bookables that close with any of these places. */
export async function listBookablesOf(reads: pg.Pool, place: RulePlace, ids: number[]): Promise<number[]> {
  const found = `bookables ${rows.JOIN_PLACES} WHERE ${place}.id = ANY($1) AND ${isClosedWith(place)}`
  return (await selectRows(reads, { id: number('bookables.id') }, found, [ids])).map((row) => row.id)
}
