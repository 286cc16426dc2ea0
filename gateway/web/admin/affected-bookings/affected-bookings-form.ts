// Asks what should happen to affected bookings before something is blocked, assigned, deleted or closed. The
// first form offers no choice; if the workers find affected bookings, the form is shown again with a choice.
import type pg from 'pg'
import {
  type AffectedTimes,
  affectedClaimsSql,
  formatMultirange,
  isClosedWithPlaceSql,
} from '../../../../shared/affected-bookings/affected-bookings-shape.ts'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { message } from '../../../../shared/messages/message.ts'
import {
  type AffectedBookingsInput,
  type Resolution,
  resolutionChoice,
  toOverridingResolution,
} from '../../../../shared/rules/affected-bookings-input.ts'
import type { RulePlace } from '../../../../shared/rules/rules-shape.ts'
import { queryFlag } from '../../../../shared/schemas/fields.ts'
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import {
  JOIN_PLACES,
  nullableColumn,
  numberColumn,
  selectRow,
  selectRows,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { plural, type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Notice } from '../../pages/page/notices.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import type { Fields, Option } from '../../pages/ui/fields.ts'
import { type Column, formatNumber, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import { createNoticeWithAffected } from './affected-people.ts'

const SHOWN_CLAIMS_MAX = 20
// All further claims are folded, so that the choice below them is in view.
const OPEN_CLAIMS_MAX = 5

export const overridingField = { overrides_rules: queryFlag() }
export const affectedBookingsFormFields = { in_the_way: resolutionChoice(), ...overridingField }

type ResolutionForm = {
  in_the_way?: Resolution | undefined
  overrides_rules?: boolean | undefined
  /** The other fields of the form. */
  [name: string]: unknown
}
export type ResolutionCall = ActionCall<unknown, unknown, ResolutionForm>

/** Returns the choice made in the form. Without a choice, the workers refuse a write that affects bookings. */
export function readResolution(call: ResolutionCall): AffectedBookingsInput & { in_the_way: Resolution } {
  const { in_the_way: chosen = 'ask', overrides_rules } = call.form
  const in_the_way = overrides_rules ? toOverridingResolution(chosen) : chosen
  return { in_the_way, release_id: deriveReleaseId(call) }
}

// Returns an id that stays the same if the same form is sent again.
function deriveReleaseId(call: ResolutionCall): string {
  const hex = call.deriveSecret('release').toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

/** Redirects to the progress page if many bookings are released. `more` is the path of the progress page. */
export async function redirectAfterResolving(
  call: ResolutionCall,
  redirectTo: string,
  notice: string,
  more?: Notice['more'],
) {
  const { in_the_way } = call.form
  const id = deriveReleaseId(call)
  const isAccepted =
    in_the_way === 'release' && (await call.services.dispatcher.queueAccepted('bookings.release-all', id))
  if (isAccepted) return { redirectTo: call.link(`/people/releases/${id}`), notice }
  const isResolved = in_the_way !== undefined && DONE_SENTENCES[in_the_way] !== undefined
  const words = notice + describeResolution(in_the_way)
  return {
    redirectTo,
    more,
    ...(isResolved ? await createNoticeWithAffected(call, words) : { notice: words }),
  }
}

const createLeaveOption = (): Option => ({
  value: 'leave',
  label: t`Keep them`,
  hint: t`These bookings stay as they are.`,
})
const createOtherOptions = (): Option[] => [
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

const DONE_SENTENCES: Partial<Record<Resolution, Sentence>> = {
  move: sentence`Conflicting bookings were moved.`,
  'move-or-release': sentence`Conflicting bookings were moved or released.`,
  release: sentence`Conflicting bookings were released.`,
}

function describeResolution(chosen: Resolution | undefined): string {
  const done = chosen && DONE_SENTENCES[chosen]
  return done === undefined ? '' : ` ${translate(done)}`
}

export function needsResolution({ refusedForm }: Call, action: string): boolean {
  return refusedForm?.action === action && refusedForm.code === 'in_use'
}

// The name of a hidden field, which says that the form offered the choice.
const OFFERED_FIELD = '_offers_choice'

/** Whether the form was sent without the choice that it offered. */
const lacksOfferedChoice = ({ refusedForm }: Call) =>
  refusedForm?.code === 'in_use' &&
  refusedForm.values[OFFERED_FIELD] !== undefined &&
  !refusedForm.values['in_the_way']?.[0]

/**
 * Shows the choice before the bookings, so that it is never below the fold.
 * Returns undefined if no bookings are affected, or if `after` is set and this action's form has not been refused
 * because of affected bookings.
 */
export async function showResolutionOptions(
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
      claims: await listAffectedClaims(primary, search, { now, limit: SHOWN_CLAIMS_MAX }),
    })),
  )
  const number = found.reduce((sum, each) => sum + each.number, 0)
  const claims = found.flatMap((each) => each.claims).slice(0, SHOWN_CLAIMS_MAX)
  if (number === 0) return undefined
  // The page already shows how many bookings are affected, so the form names only what is missing.
  const problem = lacksOfferedChoice(call) ? message`Choose what should happen to these bookings.` : undefined
  return (
    fields,
  ) => html`<h3>${plural(number, '# conflicting booking', '# conflicting bookings')}</h3><input${formatAttributes({ type: 'hidden', name: OFFERED_FIELD, value: 'true' })}>
${fields.radios('in_the_way', t`What should happen to these bookings?`, { required: true, problem, options: canLeave ? [createLeaveOption(), ...createOtherOptions()] : createOtherOptions() })}
${showOverrideRulesField(fields, true)}
<details${formatAttributes({ open: claims.length <= OPEN_CLAIMS_MAX })}><summary>${t`Show all`}</summary>${showClaims(call, claims)}
${number > claims.length && html`<p class="soft">${t`And ${formatNumber(number - claims.length)} more.`}</p>`}</details>`
}

function showClaims(call: Call, claims: AffectedClaim[]): Html {
  const columns: Column<AffectedClaim>[] = [
    {
      label: t`Who`,
      show: ({ id, eventId, who }) =>
        showLinkOrText(call.link(eventId === null ? `/bookings/${id}` : `/events/${eventId}`), who),
    },
    { label: t`What`, show: ({ bookable }) => bookable },
    { label: t`When`, show: (claim) => formatSpan(claim) },
  ]
  return showTable(t`Conflicting bookings`, columns, claims, '')
}

function formatSpan({ from, to, zone }: AffectedClaim): string {
  const start = formatDayAndTime(from, zone)
  return to === null ? t`${start}, open-ended` : t`${start} to ${formatTimeBeside(to, from, zone)}`
}

export async function hasAnyBookingRules(reads: pg.Pool, bookableIds: number[]): Promise<boolean> {
  const found = `bookables ${JOIN_PLACES} WHERE bookables.id = ANY($1)
    AND (bookables.rules IS NOT NULL OR locations.rules IS NOT NULL OR buildings.rules IS NOT NULL) LIMIT 1`
  return (await selectRow(reads, { id: numberColumn('bookables.id') }, found, [bookableIds])) !== undefined
}

export function showOverrideRulesField(fields: Fields, hasRules: boolean): Content {
  if (!hasRules) return null
  return fields.checkbox('overrides_rules', t`Override the rules of this place`, {
    hint: t`Saves even if a rule is broken. The audit log records which rule.`,
  })
}

/** Which bookables become unavailable, the time from which they do (by default now), and the users whose
 * claims are ignored. */
export type AffectedSearch = { ids: number[]; times?: AffectedTimes; keptUsers?: number[] }

const CLAIM_COLUMNS = {
  ...rows.CLAIM_SPAN_COLUMNS,
  id: numberColumn('bookings.id'),
  eventId: nullableColumn(numberColumn('bookings.event_id')),
  who: textColumn("coalesce(users.name, events.name || ' (' || organizers.name || ')')"),
  bookable: textColumn('bookables.name'),
  zone: rows.PLACE_COLUMNS.zone,
}
export type AffectedClaim = rows.RowOf<typeof CLAIM_COLUMNS>

export async function countAffectedClaims(reads: pg.Pool, search: AffectedSearch, now: string) {
  const counted = { number: numberColumn('count(*)::int') }
  return getOnlyRow(
    await selectRows(reads, counted, `(${AFFECTED_CLAIMS_SQL}) AS claims`, toSearchValues(search, now)),
  ).number
}

export const listAffectedClaims = (
  reads: pg.Pool,
  search: AffectedSearch,
  { now, limit }: { now: string; limit: number },
) =>
  selectRows(
    reads,
    CLAIM_COLUMNS,
    `bookings ${rows.JOIN_BOOKABLES}
     LEFT JOIN users ON users.id = bookings.user_id
     LEFT JOIN events ON events.id = bookings.event_id
     LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
     WHERE bookings.id IN (${AFFECTED_CLAIMS_SQL})
     ORDER BY lower(bookings.during), bookings.id LIMIT $4`,
    [...toSearchValues(search, now), limit],
  )

const AFFECTED_CLAIMS_SQL = affectedClaimsSql({ ids: '$1', times: '$2', exemptUserIds: '$3' })

const toSearchValues = ({ ids, times, keptUsers = [] }: AffectedSearch, now: string) => [
  ids,
  formatMultirange(times ?? [{ from: now, to: null }], now),
  keptUsers,
]

/** Lists the bookables that close if any of these places closes. */
export async function listBookablesOfPlaces(
  reads: pg.Pool,
  place: RulePlace,
  ids: number[],
): Promise<number[]> {
  const found = `bookables ${rows.JOIN_PLACES} WHERE ${place}.id = ANY($1) AND ${isClosedWithPlaceSql(place)}`
  return (await selectRows(reads, { id: numberColumn('bookables.id') }, found, [ids])).map((row) => row.id)
}
